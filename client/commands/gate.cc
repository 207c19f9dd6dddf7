#include <fmt/format.h>

#include <array>
#include <chrono>

#include "client/commands/commands.h"
#include "client/comparison_view.h"
#include "client/coordinator.h"
#include "client/follow_campaign.h"
#include "client/gate_view.h"
#include "client/interrupt.h"
#include "client/json_output.h"
#include "client/number_format.h"
#include "client/suite_input.h"
#include "core/campaign_json.h"
#include "core/clock.h"
#include "core/engine_version.h"
#include "core/spec_json.h"

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRequestIdDigits = 40;

// A rule's word; any other is the baseline's own name.
void SetBaseline(const std::string& text, GateQuestion& question) {
  constexpr std::array kRules = {BaselineRule::kMergeBase, BaselineRule::kParent,
                                 BaselineRule::kNewestMeasured};
  for (const BaselineRule rule : kRules) {
    if (text != ToString(rule)) continue;
    question.baseline_rule = rule;
    return;
  }
  question.baseline_rule = BaselineRule::kExplicit;
  question.baseline = text;
}

Result<GateQuestion> ReadQuestion(const GateRunOptions& options) {
  Result<JobSpec> suite = ReadSuiteFile(options.suite_path);
  if (!suite) return Fail(suite.error());
  if (options.is_new_attempt) {
    // Other noise and another identity: otherwise every run would be found in the cache.
    suite->salt += fmt::format("/attempt {}", SystemClock().Now().time_since_epoch().count());
  }
  GateQuestion question{.suite = std::move(*suite), .candidate = options.commit};
  SetBaseline(options.baseline, question);
  return question;
}

std::string RequestId(const GateQuestion& question, const GateRunOptions& options) {
  if (!options.request_id.empty()) return options.request_id;
  // Another engine's results are others: a gate never attaches to them.
  const std::string content =
      fmt::format("gate\n{}\n{}\n{}", ToJson(question), options.run_budget, kEngineVersion);
  return Sha256Hex(content).substr(0, kRequestIdDigits);
}

void Show(const GlobalOptions& global, const Campaign& gate) {
  Print(global.output == OutputFormat::kJson ? GateDocument(gate)
                                             : RenderGate(gate, global.terminal.has_stdout_color));
}

// The first lines on stderr.
void TellVerdict(const GlobalOptions& global, const Campaign& gate, ExitCode verdict) {
  const RevisionComparison comparison = ComparisonOf(gate);
  for (const std::string& line : RegressionLines(comparison)) {
    PrintDiagnostic(Paint(global.terminal.has_stderr_color, Tone::kBad, EscapeControls(line)) +
                    "\n");
  }
  const std::string sides = fmt::format(
      "{} against {} ({})", ShortId(comparison.candidate.id), ShortId(comparison.baseline.id),
      DescribeBaseline(std::get<GateCampaign>(gate.question).sides));
  if (verdict == ExitCode::kInfrastructure) {
    PrintDiagnostic(
        EscapeControls(fmt::format("NOT MEASURED  {}: gate {} is {}, {}\n", sides, gate.id.value,
                                   ToString(gate.state), DescribeEnd(gate))));
  } else if (verdict == ExitCode::kInconclusive) {
    PrintDiagnostic(fmt::format("INCONCLUSIVE  {}: {}\n", sides, DescribeEnd(gate)));
  } else {
    PrintDiagnostic(fmt::format("{}{}: {}\n", verdict == ExitCode::kOk ? "no regression: " : "",
                                sides, DescribeEnd(gate)));
  }
}

// Follows the gate and says what came of it.
ExitCode WaitFor(const GlobalOptions& global, Coordinator& coordinator, CampaignId id,
                 const WatchLimits& limits, const Terminal& terminal) {
  const Result<Campaign> gate =
      FollowCampaign(coordinator, kGateWords, id, limits, terminal, DescribeRound);
  if (!gate) return ReportError(fmt::format("gate {}", id.value), gate.error());
  const ExitCode verdict = VerdictOf(*gate);
  TellVerdict(global, *gate, verdict);
  Show(global, *gate);
  return verdict;
}

std::string DescribeCreation(const CreatedCampaign& created, const std::string& address) {
  const Campaign& gate = created.campaign;
  const GateSides& sides = std::get<GateCampaign>(gate.question).sides;
  return fmt::format("gate {} {} at {}: {} against {} ({})\n", gate.id.value,
                     created.is_new ? "created" : "exists already", address,
                     ShortId(sides.candidate.id), ShortId(sides.baseline.id),
                     DescribeBaseline(sides));
}

// Without a baseline there is no verdict; nothing is wrong with the request or the machines.
ExitCode ReportRefusal(const std::string& what, const Error& error) {
  const ExitCode code = ReportError(what, error);
  return error.code == ErrorCode::kFailedPrecondition ? ExitCode::kInconclusive : code;
}

}  // namespace

ExitCode RunGateRun(const GlobalOptions& global, const GateRunOptions& options) {
  const std::string what = "cannot run the gate of " + options.suite_path;
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout)
    return ReportError(what, {timeout.error().code, "--timeout: " + timeout.error().message});
  const Result<GateQuestion> question = ReadQuestion(options);
  if (!question) return ReportError("cannot run the gate", question.error());  // names the file
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  const Result<CreatedCampaign> created =
      coordinator.CreateGate(RequestId(*question, options), *question, options.run_budget);
  if (!created) return ReportRefusal(what, created.error());
  const std::string creation = DescribeCreation(*created, coordinator.address());
  if (!options.is_waiting) {
    PrintDiagnostic(creation);
    Show(global, created->campaign);
    return ExitCode::kOk;
  }
  // The first line is the verdict; whoever sits at a terminal sees how far it is before that.
  Terminal terminal = global.terminal;
  terminal.has_progress = terminal.is_stderr_terminal || options.has_progress;
  if (terminal.has_progress) PrintDiagnostic(creation);
  const ExitCode verdict =
      WaitFor(global, coordinator, created->campaign.id,
              {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()}, terminal);
  if (!terminal.has_progress) PrintDiagnostic(creation);
  return verdict;
}

ExitCode RunGateStatus(const GlobalOptions& global, const GateOptions& options) {
  Coordinator coordinator(global.server);
  const Result<Campaign> gate = coordinator.GetCampaign(kGateWords, CampaignId{options.id});
  if (!gate) return ReportError(fmt::format("cannot get gate {}", options.id), gate.error());
  Show(global, *gate);
  return ExitCode::kOk;
}

ExitCode RunGateWatch(const GlobalOptions& global, const GateOptions& options) {
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout) {
    return ReportError(fmt::format("cannot watch gate {}", options.id), timeout.error());
  }
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  return WaitFor(global, coordinator, CampaignId{options.id},
                 {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()}, global.terminal);
}

ExitCode RunGateList(const GlobalOptions& global, const GateListOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<Campaign>> gates = coordinator.ListCampaigns(
      kGateWords, options.project, static_cast<std::size_t>(options.limit));
  if (!gates) return ReportError("cannot list the gates", gates.error());
  Print(global.output == OutputFormat::kJson ? GateListDocument(*gates) : RenderGates(*gates));
  return ExitCode::kOk;
}

ExitCode RunGateCancel(const GlobalOptions& global, const GateOptions& options) {
  Coordinator coordinator(global.server);
  const std::string what = fmt::format("cannot cancel gate {}", options.id);
  const Result<Campaign> before = coordinator.GetCampaign(kGateWords, CampaignId{options.id});
  if (!before) return ReportError(what, before.error());
  if (before->state != CampaignState::kRunning) {
    PrintDiagnostic(fmt::format("gate {} is {} already: there was nothing to cancel\n", options.id,
                                ToString(before->state)));
  }
  const Result<Campaign> gate = coordinator.CancelCampaign(CampaignId{options.id});
  if (!gate) return ReportError(what, gate.error());
  Show(global, *gate);
  return ExitCode::kOk;
}

}  // namespace schedlab::client
