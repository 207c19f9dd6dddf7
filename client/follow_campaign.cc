#include "client/follow_campaign.h"

#include <fmt/format.h>

#include "client/commands/commands.h"
#include "client/progress.h"

namespace schedlab::client {

std::string DescribeRound(const Campaign& campaign) {
  const std::int64_t count = campaign.round_runs.total();
  return fmt::format("round {}: {} run{}", campaign.round, count, count == 1 ? "" : "s");
}

Result<Campaign> FollowCampaign(Coordinator& coordinator, const CampaignWords& words, CampaignId id,
                                const WatchLimits& limits, const Terminal& terminal,
                                const std::function<std::string(const Campaign&)>& describe_round) {
  Progress progress(terminal.has_progress_bar);
  std::int32_t round = 0;
  const auto show = [&](const Campaign& now) {
    if (!terminal.has_progress || now.round == 0) return;
    if (now.round != round) {
      PrintDiagnostic(progress.Finish());
      PrintDiagnostic(describe_round(now) + "\n");
      progress = Progress(terminal.has_progress_bar);
      round = now.round;
    }
    PrintDiagnostic(progress.Update(now.round_runs));
  };
  Result<Campaign> campaign = coordinator.WatchCampaign(words, id, limits, show);
  PrintDiagnostic(progress.Finish());
  if (!campaign && campaign.error().code == ErrorCode::kCancelled) {
    return Fail(ErrorCode::kCancelled,
                fmt::format("interrupted; {0} {1} continues at {2}: follow it with `schedlab {3} "
                            "watch {1}`, or end it with `schedlab {3} cancel {1}`",
                            words.kind, id.value, coordinator.address(), words.command));
  }
  return campaign;
}

}  // namespace schedlab::client
