#include <fmt/format.h>

#include <chrono>

#include "client/bisect_document.h"
#include "client/bisect_input.h"
#include "client/bisect_view.h"
#include "client/commands/commands.h"
#include "client/coordinator.h"
#include "client/follow_campaign.h"
#include "client/interrupt.h"
#include "client/number_format.h"
#include "core/campaign_json.h"
#include "core/engine_version.h"
#include "core/spec_json.h"

namespace schedlab::client {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRequestIdDigits = 40;

std::string RequestId(const BisectionQuestion& question, const BisectStartOptions& options) {
  if (!options.request_id.empty()) return options.request_id;
  // Another engine's results are others: a bisection never attaches to them.
  const std::string content =
      fmt::format("bisection\n{}\n{}\n{}", ToJson(question), options.run_budget, kEngineVersion);
  return Sha256Hex(content).substr(0, kRequestIdDigits);
}

void Show(const GlobalOptions& global, const Campaign& bisection) {
  Print(global.output == OutputFormat::kJson
            ? BisectionDocument(bisection)
            : RenderBisection(bisection, global.terminal.has_stdout_color));
}

ExitCode WaitFor(const GlobalOptions& global, Coordinator& coordinator, CampaignId id,
                 const WatchLimits& limits) {
  const Result<Campaign> bisection = FollowCampaign(coordinator, kBisectionWords, id, limits,
                                                    global.terminal, DescribeBisectionRound);
  if (!bisection) return ReportError(fmt::format("bisection {}", id.value), bisection.error());
  Show(global, *bisection);
  return ResultOf(*bisection);
}

std::string DescribeCreation(const CreatedCampaign& created, const std::string& address) {
  const BisectionRange& range = std::get<BisectionCampaign>(created.campaign.question).range;
  return fmt::format("bisection {} {} at {}: {} to {}, {} commits\n", created.campaign.id.value,
                     created.is_new ? "created" : "exists already", address, ShortId(range.good.id),
                     ShortId(range.bad.id), range.commit_count);
}

}  // namespace

ExitCode RunBisectStart(const GlobalOptions& global, const BisectStartOptions& options) {
  const std::string what = "cannot start the bisection";
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout) return ReportError(what, timeout.error());
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  const Result<BisectionQuestion> question = ReadBisection(coordinator, options);
  if (!question) return ReportError(what, question.error());
  const Result<CreatedCampaign> created =
      coordinator.CreateBisection(RequestId(*question, options), *question, options.run_budget);
  if (!created) return ReportError(what, created.error());
  PrintDiagnostic(DescribeCreation(*created, coordinator.address()));
  if (options.is_waiting) {
    return WaitFor(global, coordinator, created->campaign.id,
                   {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()});
  }
  Show(global, created->campaign);
  return ExitCode::kOk;
}

ExitCode RunBisectStatus(const GlobalOptions& global, const BisectOptions& options) {
  Coordinator coordinator(global.server);
  const Result<Campaign> bisection =
      coordinator.GetCampaign(kBisectionWords, CampaignId{options.id});
  if (!bisection) {
    return ReportError(fmt::format("cannot get bisection {}", options.id), bisection.error());
  }
  Show(global, *bisection);
  return ExitCode::kOk;
}

ExitCode RunBisectWatch(const GlobalOptions& global, const BisectOptions& options) {
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout) {
    return ReportError(fmt::format("cannot watch bisection {}", options.id), timeout.error());
  }
  const Interrupt interrupt;
  Coordinator coordinator(global.server);
  return WaitFor(global, coordinator, CampaignId{options.id},
                 {std::chrono::ceil<milliseconds>(*timeout), interrupt.token()});
}

ExitCode RunBisectList(const GlobalOptions& global, const BisectListOptions& options) {
  Coordinator coordinator(global.server);
  const Result<std::vector<Campaign>> bisections = coordinator.ListCampaigns(
      kBisectionWords, options.project, static_cast<std::size_t>(options.limit));
  if (!bisections) return ReportError("cannot list the bisections", bisections.error());
  Print(global.output == OutputFormat::kJson ? BisectionListDocument(*bisections)
                                             : RenderBisections(*bisections));
  return ExitCode::kOk;
}

ExitCode RunBisectCancel(const GlobalOptions& global, const BisectOptions& options) {
  Coordinator coordinator(global.server);
  const std::string what = fmt::format("cannot cancel bisection {}", options.id);
  const Result<Campaign> before = coordinator.GetCampaign(kBisectionWords, CampaignId{options.id});
  if (!before) return ReportError(what, before.error());
  if (before->state != CampaignState::kRunning) {
    PrintDiagnostic(fmt::format("bisection {} is {} already: there was nothing to cancel\n",
                                options.id, ToString(before->state)));
  }
  const Result<Campaign> bisection = coordinator.CancelCampaign(CampaignId{options.id});
  if (!bisection) return ReportError(what, bisection.error());
  Show(global, *bisection);
  return ExitCode::kOk;
}

}  // namespace schedlab::client
