#include "server/analyzer.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/contract/analysis_fixture.h"
#include "tests/support/fake_clock.h"

namespace schedlab::testing {
namespace {

class AnalyzerTest : public AnalysisFixture {
 protected:
  bool HasLine(const std::string& part) const {
    for (const std::string& line : lines_) {
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{clock_, LogLevel::kInfo, [this](std::string_view line) { lines_.emplace_back(line); }};
  server::Telemetry telemetry_;
  int analyzed_count_ = 0;
  server::Analyzer analyzer_{store_, log_, telemetry_, [this] { ++analyzed_count_; }};
};

TEST_F(AnalyzerTest, FinishedJobsAreAnalysed) {
  const Job job = Execute({.revisions = {"aaaaaaaa", "bbbbbbbb"}, .repetitions = 3});

  ASSERT_TRUE(analyzer_.AnalyzeFinishedJobs({}).has_value());

  EXPECT_TRUE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
  EXPECT_EQ(ValueOf(jobs_.GetJob(job.id)).analysis_failure, "");
  EXPECT_EQ(analyzed_count_, 1);
}

TEST_F(AnalyzerTest, AJobThatCannotBeAnalysedIsSettledWithTheReason) {
  const Job job = Execute({.revisions = {"aaaaaaaa", "bbbbbbbb"}, .repetitions = 3});
  database_.Query("ALTER TABLE analysis_generations ADD CHECK (false)");

  ASSERT_TRUE(analyzer_.AnalyzeFinishedJobs({}).has_value());

  EXPECT_TRUE(ValueOf(jobs_.GetJob(job.id)).is_analyzed);
  EXPECT_NE(ValueOf(jobs_.GetJob(job.id)).analysis_failure, "");
  EXPECT_EQ(analyzed_count_, 1);
  EXPECT_TRUE(HasLine("level=warn component=analyzer event=analysis_failed"));
  EXPECT_TRUE(HasLine("level=warn component=analyzer event=job_not_analyzed"));
}

}  // namespace
}  // namespace schedlab::testing
