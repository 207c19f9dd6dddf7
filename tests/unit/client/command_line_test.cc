#include "client/command_line.h"

#include <gtest/gtest.h>

namespace schedlab::client {
namespace {

ParsedCommand Parse(std::vector<std::string> arguments) {
  return ParseCommandLine(std::move(arguments), "/nowhere");
}

TEST(CommandLineTest, HelpIsNoMistake) {
  const ParsedCommand command = Parse({"--help"});

  EXPECT_FALSE(command.run);
  EXPECT_EQ(command.code, ExitCode::kOk);
  EXPECT_NE(command.text.find("schedlab dev --demo"), std::string::npos);
  EXPECT_NE(command.text.find("Exit codes"), std::string::npos);
}

TEST(CommandLineTest, MistakesAreUsageErrors) {
  const std::vector<std::vector<std::string>> mistakes = {
      {},
      {"frobnicate"},
      {"job"},
      {"job", "get"},
      {"job", "get", "one"},
      {"dev", "--once"},
      {"dev", "--suite", "s.toml"},
      {"dev", "--grpc-port", "70000"},
      {"dev", "--workers", "0"},
      {"job", "submit"},
      {"job", "submit", "s.toml", "--timeout", "soon"},
      {"job", "submit", "s.toml", "--request-id", ""},
      {"compare", "a"},
      {"compare", "a", "b", "--format", "xml"},
      {"compare", "a", "b", "--by", "moon"},
      {"report"},
      {"report", "one"},
      {"report", "1", "--format", "pdf"},
      {"history", "m", "-o", "yaml"},
      {"noise"},
      {"noise", "m", "-o", "markdown"},
      {"coverage"},
      {"coverage", "v3.12", "--neighbours", "0"},
      {"metric"},
      {"metric", "describe"},
      {"reproduce"},
      {"alerts", "ack", "1"},
      {"alerts", "ack", "1", "--why", ""},
      {"alerts", "list", "--state", "closed"},
      {"alerts", "precision", "--days", "0"},
      {"reproduce", "alert"},
      {"reproduce", "alert", "0"},
      {"job", "list", "-o", "csv"},
      {"version", "-o", "markdown"},
      {"sim", "run", "--topology", "t", "--workload", "w", "--policy", "p"},
      {"sim", "run", "--topology", "t", "--workload", "w", "--policy", "p", "--seed", "-1"},
      {"sim", "trace", "--topology", "t", "--workload", "w", "--policy", "p"},
      {"sim", "bench", "--topology", "t", "--workload", "w", "--policy", "p", "--repeat", "0"},
      {"sim", "schedstat", "--topology", "t", "--workload", "w", "--policy", "p", "--version",
       "14"},
      {"sim", "latency", "--topology", "t", "--workload", "w", "--policy", "p", "--records", "-1"},
      {"worker", "calibrate", "--rounds", "0"},
      {"worker", "calibrate", "-o", "table"},
      {"plan"},
      {"plan", "gate"},
      {"plan", "gate", "--effect", "4%"},
      {"topology", "import"},
      {"topology", "import", "f", "--format", "svg"},
      {"topology", "import", "f", "-o", "table"},
      {"-o", "yaml", "version"},
      {"catalog"},
      {"version", "--frobnicate"},
  };

  for (const auto& arguments : mistakes) {
    const ParsedCommand command = Parse(arguments);
    EXPECT_FALSE(command.run) << testing::PrintToString(arguments);
    EXPECT_EQ(command.code, ExitCode::kUsage) << testing::PrintToString(arguments);
    EXPECT_NE(command.text.find("schedlab:"), std::string::npos);
  }
}

TEST(CommandLineTest, AnUnknownCommandIsNamed) {
  EXPECT_NE(Parse({"nope"}).text.find("unknown command 'nope'"), std::string::npos);
  EXPECT_NE(Parse({"job", "sumbit"}).text.find("unknown command 'sumbit' (did you mean 'submit'?)"),
            std::string::npos);
}

TEST(CommandLineTest, AWordThatIsNotAllowedIsToldWhichAre) {
  const ParsedCommand command = Parse({"-o", "yaml", "version"});

  EXPECT_NE(command.text.find("must be csv or json or markdown or table, not 'yaml'"),
            std::string::npos)
      << command.text;
}

TEST(CommandLineTest, EverySimulationButRunHasASeedOfItsOwn) {
  for (const char* command : {"latency", "timehist", "schedstat", "bench"}) {
    EXPECT_TRUE(Parse({"sim", command, "--topology", "t", "--workload", "w", "--policy", "p"}).run)
        << command;
  }
  EXPECT_TRUE(Parse({"sim", "trace", "--topology", "t", "--workload", "w", "--policy", "p",
                     "--format", "trace.dat", "-O", "x"})
                  .run);
}

TEST(CommandLineTest, AServerHasAName) {
  EXPECT_EQ(Parse({"--server", "", "job", "list"}).code, ExitCode::kUsage);
}

TEST(CommandLineTest, IntegersAreReadWholeOrRefused) {
  const std::string beyond = "9223372036854775808";  // 2^63
  const std::string far_beyond = "99999999999999999999999";
  std::vector<std::vector<std::string>> mistakes;
  for (const std::string& number : {beyond, far_beyond, std::string("1x"), std::string("1.5"),
                                    std::string("0x10"), std::string("-1"), std::string("")}) {
    mistakes.push_back(
        {"sim", "run", "--topology", "t", "--workload", "w", "--policy", "p", "--seed=" + number});
    mistakes.push_back({"job", "list", "--limit=" + number});
    mistakes.push_back({"dev", "--workers=" + number});
    mistakes.push_back({"dev", "--grpc-port=" + number});
    mistakes.push_back({"job", "get", number});
    mistakes.push_back({"job", "watch", number});
    mistakes.push_back({"job", "cancel", number});
    mistakes.push_back({"alerts", "show", number});
  }
  for (const auto& arguments : mistakes) {
    const ParsedCommand command = Parse(arguments);
    EXPECT_FALSE(command.run) << testing::PrintToString(arguments);
    EXPECT_EQ(command.code, ExitCode::kUsage) << testing::PrintToString(arguments);
    EXPECT_LT(command.text.size(), 200U) << command.text;
  }
  EXPECT_TRUE(Parse({"job", "get", "9223372036854775807"}).run);
  EXPECT_TRUE(Parse({"sim", "run", "--topology", "t", "--workload", "w", "--policy", "p", "--seed",
                     "9223372036854775807"})
                  .run);
}

TEST(CommandLineTest, AMinimumEffectIsARatio) {
  EXPECT_TRUE(Parse({"analyze", "series", "-", "--minimum-effect", "0.05"}).run);
  for (const char* value : {"nan", "inf", "1", "-0.1", "5%"}) {
    EXPECT_FALSE(Parse({"analyze", "series", "-", std::string("--minimum-effect=") + value}).run)
        << value;
  }
}

TEST(CommandLineTest, APlanOfABisectionNamesWhatIsOutOfRange) {
  const auto text_for = [](const std::string& commits, const std::string& effect) {
    return Parse({"plan", "bisect", "--commits", commits, "--effect-sd", effect}).text;
  };

  EXPECT_NE(text_for("0", "2").find("--commits: Value 0 not in range"), std::string::npos);
  EXPECT_NE(text_for("99999999999999999999", "2").find("--commits"), std::string::npos);
  EXPECT_NE(text_for("8", "two").find("--effect-sd"), std::string::npos);
  EXPECT_NE(Parse({"plan", "bisect"}).text.find("--commits is required"), std::string::npos);
}

TEST(CommandLineTest, GlobalOptionsMayStandAnywhere) {
  EXPECT_TRUE(Parse({"-o", "json", "version"}).run);
  EXPECT_TRUE(Parse({"version", "-o", "json"}).run);
  EXPECT_TRUE(Parse({"job", "list", "--server", "localhost:1", "--color", "never"}).run);
}

TEST(CommandLineTest, EveryCommandIsFound) {
  const std::vector<std::vector<std::string>> commands = {
      {"dev", "--demo", "--once", "--data-dir", "/d", "--grpc-port", "1", "--http-port", "2"},
      {"dev", "--demo", "--suite", "s.toml"},
      {"job", "submit", "s.toml", "--commit", "abc", "--wait", "--timeout", "45m"},
      {"job", "list"},
      {"job", "get", "1"},
      {"job", "watch", "1"},
      {"job", "cancel", "1"},
      {"compare", "a", "b", "--format", "lkp", "--paired"},
      {"history", "files_per_sec", "--topology", "kvm-16x1"},
      {"alerts", "list"},
      {"alerts", "list", "--state", "dismissed"},
      {"alerts", "show", "1"},
      {"alerts", "ack", "1", "--why", "mine"},
      {"alerts", "resolve", "1", "--why", "reverted", "--who", "ann"},
      {"alerts", "dismiss", "1", "--why", "noise", "--request-id", "abc"},
      {"alerts", "reopen", "1", "--why", "not fixed"},
      {"alerts", "explain", "kvm-16x1/fs_mark/files_per_sec", "v3.12"},
      {"alerts", "precision", "--days", "30"},
      {"worker", "list"},
      {"catalog", "topologies"},
      {"catalog", "metrics", "files_per_sec"},
      {"sim", "run", "--topology", "t", "--workload", "w", "--policy", "p@r", "--seed", "1",
       "--param", "a=1", "--param", "b=2", "--set", "c=d", "--duration", "8s"},
      {"analyze", "series", "-"},
      {"plan", "bisect", "--commits", "256", "--effect-sd", "1.5", "--workers", "8"},
      {"version"},
  };

  for (const auto& arguments : commands) {
    const ParsedCommand command = Parse(arguments);
    EXPECT_TRUE(command.run) << testing::PrintToString(arguments) << command.text;
  }
}

TEST(CommandLineTest, ComparisonsTakeSeveralCandidatesAndBaselines) {
  EXPECT_TRUE(Parse({"compare", "a", "b", "c", "--also-against", "d", "--also-against", "e", "--by",
                     "topology", "--format", "mmtests"})
                  .run);
  EXPECT_TRUE(Parse({"compare", "a", "b", "-o", "csv"}).run);
}

TEST(CommandLineTest, CommandsThatReadResultsShowExamples) {
  for (const std::string name :
       {"compare", "report", "history", "noise", "coverage", "metric", "reproduce"}) {
    const ParsedCommand command = Parse({name, "--help"});
    EXPECT_EQ(command.code, ExitCode::kOk) << name;
    EXPECT_NE(command.text.find("Examples:\n  schedlab " + name), std::string::npos)
        << command.text;
  }
}

}  // namespace
}  // namespace schedlab::client
