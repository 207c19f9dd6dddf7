#include "server/campaigns/aa_evaluations.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/engine_version.h"
#include "core/limits.h"
#include "server/campaigns/settle_question.h"

namespace schedlab::server {
namespace {

// Runs of its own, which no other evaluation and no gate has.
GateQuestion QuestionOf(const AaSubject& subject) {
  GateQuestion question{.suite = subject.suite,
                        .candidate = subject.revision,
                        .baseline_rule = BaselineRule::kItself};
  JobSpec& suite = question.suite;
  std::erase_if(suite.policies, [&subject](const PolicySelection& policy) {
    return policy.policy != subject.policy;
  });
  suite.salt += fmt::format("/{}{}", kAaRequestPrefix, subject.period);
  suite.seed_mode = SeedMode::kIndependent;
  return question;
}

}  // namespace

AaEvaluations::AaEvaluations(const Catalog& catalog, CampaignStore& store, Log& log,
                             std::chrono::seconds interval, std::function<void()> on_begun)
    : catalog_(catalog),
      store_(store),
      log_(log),
      interval_(interval),
      on_begun_(std::move(on_begun)) {}

Status AaEvaluations::BeginOne() {
  if (interval_.count() == 0) return {};
  const Result<std::optional<AaSubject>> subject =
      store_.FindAaSubject(interval_, std::string(kEngineVersion));
  if (!subject) return Fail(subject.error());
  if (!*subject || (*subject)->period == refused_period_) return {};
  const GateQuestion question = QuestionOf(**subject);
  Result<CampaignQuestion> settled = SettleQuestion(catalog_, question, FindNewest());
  if (!settled) {
    refused_period_ = (*subject)->period;
    log_.Warn({"campaigns", "aa_refused"}, {{"error", settled.error().message}});
    return {};
  }
  const Result<CreatedCampaign> created = store_.CreateCampaign(
      {.request_id = fmt::format("{}{}", kAaRequestPrefix, (*subject)->period),
       .content_digest = QuestionDigest(question, kAaRunBudget),
       .project = question.suite.project,
       .question = std::move(*settled),
       .run_budget = kAaRunBudget});
  // Another coordinator was quicker, with another subject.
  if (!created && created.error().code == ErrorCode::kAlreadyExists) return {};
  if (!created) return Fail(created.error());
  if (!created->is_new) return {};
  log_.Info({"campaigns", "aa_begun"}, {{"campaign", created->campaign.id.value}});
  on_begun_();
  return {};
}

}  // namespace schedlab::server
