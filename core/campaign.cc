#include "core/campaign.h"

namespace schedlab {

std::string_view ToString(BaselineRule rule) {
  switch (rule) {
    case BaselineRule::kMergeBase:
      return "merge-base";
    case BaselineRule::kParent:
      return "parent";
    case BaselineRule::kNewestMeasured:
      return "newest";
    case BaselineRule::kExplicit:
      return "explicit";
  }
  return "";
}

std::string_view ToString(GateEnd end) {
  switch (end) {
    case GateEnd::kOpen:
      return "open";
    case GateEnd::kDecided:
      return "decided";
    case GateEnd::kLooksUsed:
      return "looks used";
    case GateEnd::kBudgetSpent:
      return "budget spent";
  }
  return "";
}

std::string_view ToString(CampaignState state) {
  switch (state) {
    case CampaignState::kRunning:
      return "running";
    case CampaignState::kFinished:
      return "finished";
    case CampaignState::kCancelled:
      return "cancelled";
    case CampaignState::kFailed:
      return "failed";
  }
  return "";
}

namespace {

struct KindName {
  std::string_view operator()(const GateCampaign& /*gate*/) const { return "gate"; }
  std::string_view operator()(const BisectionCampaign& /*bisection*/) const { return "bisection"; }
};

}  // namespace

std::string_view KindOf(const CampaignQuestion& question) {
  return std::visit(KindName(), question);
}

}  // namespace schedlab
