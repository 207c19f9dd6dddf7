#include "worker/config.h"

#include <gtest/gtest.h>

namespace schedlab::worker {
namespace {

Result<ParsedCommandLine> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "schedlab-worker");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                          {.host_name = "rack1", .cpu_count = 6});
}

TEST(WorkerConfigTest, TakesItsDefaultsFromTheMachine) {
  const Result<ParsedCommandLine> parsed = Parse({});

  ASSERT_TRUE(parsed && parsed->config);
  EXPECT_EQ(parsed->config->name, "rack1-sim");
  EXPECT_EQ(parsed->config->slot_count, 6);
  EXPECT_EQ(parsed->config->server, "127.0.0.1:7450");
}

TEST(WorkerConfigTest, ReadsEveryFlag) {
  const Result<ParsedCommandLine> parsed =
      Parse({"--server", "unix:/run/s", "--name", "w1", "--slots", "3", "--log-level", "debug",
             "--ready-file", "ready"});

  ASSERT_TRUE(parsed && parsed->config);
  EXPECT_EQ(parsed->config->server, "unix:/run/s");
  EXPECT_EQ(parsed->config->name, "w1");
  EXPECT_EQ(parsed->config->slot_count, 3);
  EXPECT_EQ(parsed->config->log_level, LogLevel::kDebug);
  EXPECT_EQ(parsed->config->ready_file, "ready");
}

TEST(WorkerConfigTest, RefusesAnUnknownLogLevel) {
  const Result<ParsedCommandLine> parsed = Parse({"--log-level", "loud"});

  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message, "--log-level: 'loud' is none of debug, info, warn, error");
}

TEST(WorkerConfigTest, RefusesZeroSlots) {
  const Result<ParsedCommandLine> parsed = Parse({"--slots", "0"});

  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
}

TEST(WorkerConfigTest, PrintsItsVersion) {
  const Result<ParsedCommandLine> parsed = Parse({"--version"});

  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->config);
  EXPECT_NE(parsed->text.find("schedlab-worker"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::worker
