#include "client/plan_gate_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "client/number_format.h"

namespace schedlab::client {
namespace {

constexpr std::int64_t kMostMetrics = 1'000'000;
constexpr std::int64_t kMostHistory = 1'000'000;

struct ShareRange {
  double above;
  double at_most;
  std::string_view words;
};

Result<double> ParseShareIn(std::string_view option, std::string_view text,
                            const ShareRange& range) {
  const Result<double> share = ParseShare(option, text);
  if (!share || (*share > range.above && *share <= range.at_most)) return share;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} '{}' is not {}", option, text, range.words));
}

Result<std::int64_t> ParseCount(std::string_view option, std::string_view text, std::int64_t low,
                                std::int64_t high) {
  const Result<std::int64_t> count = ParseInteger(text);
  if (count && *count >= low && *count <= high) return count;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} '{}' is not a whole number from {} to {}", option, text, low, high));
}

// "3,5,8,12".
Result<stats::LookPlan> ParseLooks(const std::string& text) {
  std::vector<std::int64_t> looks;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Result<std::int64_t> look = ParseInteger(text.substr(begin, end - begin));
    if (!look) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("--looks '{}' are not whole numbers between commas", text));
    }
    looks.push_back(*look);
    begin = end + 1;
  }
  Result<stats::LookPlan> plan = stats::LookPlan::Make(std::move(looks));
  if (!plan) return Fail(plan.error().code, "--looks: " + plan.error().message);
  if (plan->looks().front() < 2) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--looks '{}': the first is not after 2 runs a side or more", text));
  }
  return plan;
}

Result<stats::GateQuestion> ParseQuestion(const PlanGateOptions& options) {
  const Result<double> effect = ParseShareIn(
      "--effect", options.effect, {-1, 100, "a change above -100 % and at most 10000 %"});
  if (!effect) return Fail(effect.error());
  if (std::abs(*effect) < 1e-6) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--effect '{}' is too small: no number of runs finds no change",
                            options.effect));
  }
  const Result<double> cv =
      ParseShareIn("--cv", options.cv, {0, 10, "a noise above 0 and at most 1000 %"});
  if (!cv) return Fail(cv.error());
  const Result<std::int64_t> metrics = ParseCount("--metrics", options.metrics, 1, kMostMetrics);
  if (!metrics) return Fail(metrics.error());
  const Result<std::int64_t> history = ParseCount("--history", options.history, 0, kMostHistory);
  if (!history) return Fail(history.error());
  const Result<double> power =
      ParseShareIn("--power", options.power, {0.05, 0.999, "above 5 % and at most 99.9 %"});
  if (!power) return Fail(power.error());
  const Result<double> fdr =
      ParseShareIn("--fdr", options.fdr, {1e-5, 0.5, "above 0.001 % and at most 50 %"});
  if (!fdr) return Fail(fdr.error());
  return stats::GateQuestion{.effect = *effect,
                             .noise = *cv,
                             .metric_count = *metrics,
                             .history_degrees = static_cast<double>(*history),
                             .power = *power,
                             .false_discovery_rate = *fdr};
}

}  // namespace

Result<double> ParseShare(std::string_view option, std::string_view text) {
  std::string_view number = text;
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  while (is_percent && number.ends_with(' ')) number.remove_suffix(1);
  double value = 0;
  const char* end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} '{}' is not a share such as 4% or 0.04", option, text));
  }
  return is_percent ? value / 100 : value;
}

Result<PlanRequest> ParsePlanRequest(const PlanGateOptions& options) {
  const Result<stats::GateQuestion> question = ParseQuestion(options);
  if (!question) return Fail(question.error());
  if (options.looks.empty()) return PlanRequest{*question, stats::PlanLooks(*question)};
  Result<stats::LookPlan> looks = ParseLooks(options.looks);
  if (!looks) return Fail(looks.error());
  return PlanRequest{*question, *std::move(looks)};
}

}  // namespace schedlab::client
