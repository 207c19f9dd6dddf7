#include "client/explanation_view.h"

#include <gtest/gtest.h>

#include "client/json_output.h"
#include "tests/unit/client/report_values.h"

namespace schedlab::client {
namespace {

ChangeExplanation TooSmall() {
  const Alert alert = AlertOnOneTopology();
  return {.series = SeriesOf("kvm-16x1", "files_per_sec", MetricRole::kHeadline),
          .revision = alert.revision,
          .reason = ChangeReason::kSmallEffect,
          .points = {{.revision = alert.previous, .samples = {99, 101}},
                     {.revision = alert.revision, .samples = {}}},
          .step = ChangeStep{.before = SummaryOf(100),
                             .after = SummaryOf(99),
                             .relative_change = -0.01,
                             .effect_sd = -1.5,
                             .p_value = 0.004},
          .checks = {{.name = "minimum_effect", .value = 0.01, .limit = 0.03, .is_passed = false}},
          .change = std::nullopt,
          .likelier = std::nullopt,
          .series_count = 3,
          .alerts = {}};
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ExplanationViewTest, SaysWhatDecidesAndByHowMuch) {
  const std::string text = RenderExplanation(TooSmall());

  EXPECT_TRUE(Has(text, "  answer  no alert: the level moves by less than")) << text;
  EXPECT_TRUE(Has(text,
                  "-1.0 %: 100 (n=5, CV 1.0 %) -> 99 (n=5, CV 1.0 %) files/s, effect -1.5 sd, "
                  "p = 0.004"))
      << text;
  EXPECT_TRUE(Has(text, "0.01 against 0.03: missed")) << text;
  EXPECT_TRUE(Has(text, "  alerts  none at this revision")) << text;
}

TEST(ExplanationViewTest, APointWithoutRunsHasNoMean) {
  const std::string text = RenderExplanation(TooSmall());

  EXPECT_TRUE(Has(text, "aaaaaaaaaaaa  2 ")) << text;
  EXPECT_TRUE(Has(text, "bbbbbbbbbbbb  0 ")) << text;
  EXPECT_TRUE(Has(text, "-  <<")) << text;
}

TEST(ExplanationViewTest, NamesTheLikelierCommitAndTheAlerts) {
  ChangeExplanation explanation = TooSmall();
  explanation.reason = ChangeReason::kAnotherRevision;
  explanation.likelier = RevisionRef{"cccccccccccccccc", 3, "", ""};
  explanation.alerts = {AlertOnOneTopology()};
  explanation.alerts[0].merged_into = AlertId{9};

  const std::string text = RenderExplanation(explanation);

  EXPECT_TRUE(Has(text, "another commit is likelier: cccccccccccc")) << text;
  EXPECT_TRUE(Has(text, "7 (open), first bad bbbbbbbbbbbb, merged into 9")) << text;
}

TEST(ExplanationViewTest, TheDocumentHasReasonStepAndChecks) {
  const std::string text = ExplanationDocument(TooSmall());

  EXPECT_TRUE(Has(text, "\"reason\": \"small_effect\"")) << text;
  EXPECT_TRUE(Has(text, "\"limit\": 0.03")) << text;
  EXPECT_TRUE(Has(text, "\"p_value\": 0.004")) << text;
  EXPECT_TRUE(Has(text, "\"likelier_revision\": null")) << text;
}

}  // namespace
}  // namespace schedlab::client
