#include "client/child_process.h"

#include <gtest/gtest.h>

#include <csignal>

#include "client/text_file.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

using std::chrono::seconds;

constexpr seconds kLongEnough{20};

ChildSpec Shell(const TemporaryFolder& folder, const std::string& script) {
  return {.name = "shell",
          .arguments = {"/bin/sh", "-c", script},
          .environment = {},
          .log_path = folder.path() + "/log",
          .account = std::nullopt};
}

TEST(ChildProcessTest, WhatItPrintsIsInItsLog) {
  const TemporaryFolder folder;

  const Status ended = RunToEnd(Shell(folder, "echo out; echo err >&2"), kLongEnough);

  EXPECT_TRUE(ended);
  EXPECT_EQ(ReadTextFile(folder.path() + "/log").value(), "out\nerr\n");
}

TEST(ChildProcessTest, AFailureHasTheExitCodeAndTheEndOfTheLog) {
  const TemporaryFolder folder;

  const Status ended = RunToEnd(Shell(folder, "echo no such luck; exit 3"), kLongEnough);

  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("exit code 3"), std::string::npos);
  EXPECT_NE(ended.error().message.find("no such luck"), std::string::npos);
}

TEST(ChildProcessTest, AProgramThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  ChildSpec spec = Shell(folder, "");
  spec.arguments = {"/nonexistent/program"};

  const Result<ChildProcess> child = ChildProcess::Start(spec);

  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(child.error().message.find("/nonexistent/program"), std::string::npos);
}

TEST(ChildProcessTest, StopAsksFirst) {
  const TemporaryFolder folder;
  Result<ChildProcess> child = ChildProcess::Start(
      Shell(folder, "trap 'echo asked; exit 7' TERM; echo up; while :; do sleep 0.05; done"));
  ASSERT_TRUE(child);
  while (ReadTextFile(folder.path() + "/log").value() != "up\n") {
  }

  child->Stop();

  EXPECT_EQ(child->PollEnd(), "exit code 7");
  EXPECT_EQ(ReadTextFile(folder.path() + "/log").value(), "up\nasked\n");
}

TEST(ChildProcessTest, StopKillsOneThatDoesNotListen) {
  const TemporaryFolder folder;
  ChildSpec spec = Shell(folder, "trap '' TERM; echo up; while :; do sleep 0.05; done");
  spec.stop_deadline = std::chrono::milliseconds{100};
  Result<ChildProcess> child = ChildProcess::Start(spec);
  ASSERT_TRUE(child);
  while (ReadTextFile(folder.path() + "/log").value() != "up\n") {
  }

  child->Stop();

  EXPECT_EQ(child->PollEnd(), "signal 9 (Killed)");
}

TEST(ChildProcessTest, AScriptIsStartedByItsInterpreter) {
  const Result<std::string> output = CaptureOutput({"/usr/bin/ldd", "--version"}, kLongEnough);

  ASSERT_TRUE(output) << output.error().message;
  EXPECT_NE(output->find("ldd"), std::string::npos);
}

TEST(ChildProcessTest, PostgresVariablesOfTheCallerAreNotInherited) {
  const TemporaryFolder folder;
  setenv("PGHOST", "elsewhere", 1);  // NOLINT(concurrency-mt-unsafe): one thread

  const Status ended = RunToEnd(Shell(folder, "echo \"[$PGHOST]\""), kLongEnough);
  unsetenv("PGHOST");  // NOLINT(concurrency-mt-unsafe): one thread

  EXPECT_TRUE(ended);
  EXPECT_EQ(ReadTextFile(folder.path() + "/log").value(), "[]\n");
}

}  // namespace
}  // namespace schedlab::client
