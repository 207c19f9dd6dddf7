#pragma once

#include "core/alert.h"
#include "core/campaign.h"
#include "core/change_explanation.h"
#include "core/comparison.h"
#include "core/job.h"
#include "core/run.h"
#include "core/series.h"
#include "core/synchronization.h"

namespace schedlab::testing {

// Valid values with every field set to something that is not its default, for tests that copy,
// store or send them.
Topology SampleTopology();
PolicySpec SamplePolicy();
RunSpec SampleRunSpec();
RunResult SampleRunResult();
JobSpec SampleJobSpec();
Job SampleJob();
Run SampleRun();
WorkerIdentity SampleWorker();
Series SampleSeries();
SampleSummary SampleOfThree();
StoredChangePoint SampleChangePoint();
Alert SampleAlert();
ChangeExplanation SampleExplanation();
ComparisonRow SampleComparisonRow();
Campaign SampleCampaign();
// Without its probes, which are stored and never sent.
Campaign SampleBisection();

}  // namespace schedlab::testing
