#include "server/campaigns/failed_runs.h"

namespace schedlab::server {
namespace {

// Each cell of an answer may repeat it: a long one would not fit a message.
constexpr std::size_t kMaxFailureLength = 400;

constexpr bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;  // of UTF-8
}

}  // namespace

std::string DescribeFailure(const CampaignRun& run) {
  if (run.failure.empty()) return std::string(ToString(run.state));
  if (run.failure.size() <= kMaxFailureLength) return run.failure;
  std::size_t length = kMaxFailureLength;
  while (length > 0 && ContinuesCharacter(run.failure[length])) --length;
  return run.failure.substr(0, length) + "...";
}

bool HasEnded(RunState state) { return !CanMove(state, RunState::kCancelled); }

}  // namespace schedlab::server
