#pragma once

#include <chrono>
#include <cstdint>

namespace schedlab {

// Every bound that a user can meet, in one place. An error message about one names it.
inline constexpr std::int32_t kMaxCpus = 4096;
inline constexpr std::int32_t kMaxNodes = 64;
inline constexpr std::int64_t kMaxRunsPerJob = 100'000;
inline constexpr std::int32_t kMaxRepetitions = 1'000;
inline constexpr std::int32_t kMaxPageSize = 1'000;
inline constexpr std::int32_t kDefaultPageSize = 100;
inline constexpr std::int32_t kMaxAttempts = 5;
inline constexpr std::int32_t kMaxSlotsPerWorker = 1'024;
inline constexpr std::int32_t kMaxMessageBytes = 4'194'304;
inline constexpr std::int64_t kMaxSuiteFileBytes = 1'048'576;
inline constexpr std::int64_t kMaxSimulatedNs = 3'600'000'000'000;
// Of one scenario.
inline constexpr std::size_t kMaxHotplugEvents = 1'000;
inline constexpr std::size_t kMaxIrqSources = 1'024;
inline constexpr std::size_t kMaxNameLength = 200;
// Descriptions, messages, subjects, variants.
inline constexpr std::size_t kMaxTextLength = 10'000;
// The text that a workload of a job carries, and those of all its workloads together.
inline constexpr std::size_t kMaxDocumentBytes = 262'144;
inline constexpr std::size_t kMaxJobDocumentBytes = 1'048'576;
// Policies, topologies, workloads or metrics that one job names.
inline constexpr std::int32_t kMaxSelectionsPerJob = 1'000;
// Switches of a policy, parameters of a workload.
inline constexpr std::int32_t kMaxSettings = 1'000;
inline constexpr std::int32_t kMaxMetricsPerRun = 1'000;
inline constexpr std::int32_t kMaxCellsPerAlert = 10'000;
inline constexpr std::int32_t kMaxComparisonRows = 100'000;
// Runs that one campaign may bring, and that it may without a word about it.
inline constexpr std::int64_t kMaxCampaignRuns = 100'000;
inline constexpr std::int64_t kDefaultCampaignRuns = 10'000;
// A bisection by one worker has a round for each run or two.
inline constexpr std::int32_t kMaxCampaignRounds = 1'000;
inline constexpr std::int64_t kMaxBisectionCommits = 20'000;
inline constexpr std::int64_t kMaxBisectionRuns = 20'000;
// A round may be one job, with a policy selection for each commit.
inline constexpr std::int64_t kMaxBisectionWorkers = 1'000;
inline constexpr std::int64_t kDefaultBisectionWorkers = 8;
inline constexpr std::int64_t kDefaultBisectionRuns = 400;
// Headline metrics x scenarios x policies of one gate: its answer then fits a message.
inline constexpr std::int32_t kMaxGateCells = 2'000;
// Measured revisions on either side of one whose coverage is asked for, and what is listed of it.
inline constexpr std::int32_t kMaxCoverageNeighbours = 100;
inline constexpr std::int32_t kMaxCoverageCells = 10'000;
inline constexpr std::int32_t kMaxExecutors = 16;
// Recorded traces that are replayed: tasks, and steps of all tasks together.
inline constexpr std::int64_t kMaxTraceTasks = 100'000;
inline constexpr std::int64_t kMaxTraceSteps = 10'000'000;
// What a tracing tool has printed, before it is imported.
inline constexpr std::size_t kMaxRecordingBytes = 1'073'741'824;
// Earlier processes of a worker's name that are remembered, and refused when they call again.
inline constexpr std::int32_t kMaxEarlierIncarnations = 8;
// The largest leases (kMaxCpus CPUs and kMaxNodes nodes take 110 kB, and then kMaxDocumentBytes)
// and reports in this number fit kMaxMessageBytes.
inline constexpr std::int32_t kMaxLeasesPerCall = 10;
inline constexpr std::int32_t kMaxReportsPerCall = 100;

inline constexpr std::chrono::seconds kLeaseTtl{30};
// How long one Synchronize call may block while there is nothing to do.
inline constexpr std::chrono::seconds kSynchronizeWait{10};

}  // namespace schedlab
