// property_test [--scenarios=N] [--first=SEED] [--seed=SEED] [--shrink]: random whole scenarios,
// and what must hold of each. --seed runs one alone and prints it; --shrink makes it smaller first.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "tests/properties/any_scenario.h"
#include "tests/properties/flags.h"
#include "tests/properties/properties.h"
#include "tests/properties/shrink.h"
#include "tests/scenarios/scenario_text.h"

namespace schedlab::properties {
namespace {

struct Flags {
  std::uint64_t first = 1;
  std::uint64_t count = SCHEDLAB_SCENARIO_COUNT;
  std::optional<std::uint64_t> only;
  bool shrinks = false;
};

Flags& GivenFlags() {
  static Flags flags;
  return flags;
}

// For the handler of what ends the process, which cannot be told.
volatile std::sig_atomic_t g_running_seed = 0;

void SayWhichSeed(int signal) {
  std::signal(signal, SIG_DFL);
  char digits[24];
  const auto [end, error] =
      std::to_chars(digits, digits + sizeof(digits), static_cast<long>(g_running_seed));
  constexpr std::string_view kBefore = "\nthe run ended the process: repeat with --seed=";
  if (error != std::errc()) return;
  *end = '\n';
  if (write(STDERR_FILENO, kBefore.data(), kBefore.size()) < 0) return;
  if (write(STDERR_FILENO, digits, static_cast<std::size_t>(end - digits) + 1) < 0) return;
}

std::string Story(std::uint64_t seed, const std::vector<std::string>& violations,
                  const scenarios::ScenarioFile& file) {
  std::string story = fmt::format("repeat with --seed={}; add --shrink for a smaller one\n", seed);
  for (const std::string& violation : violations) story += violation + "\n";
  return story + scenarios::ScenarioText(file);
}

void CheckSeed(std::uint64_t seed) {
  g_running_seed = static_cast<std::sig_atomic_t>(seed);
  AnyScenario any = MakeAnyScenario(seed);
  if (GivenFlags().shrinks) any = Shrunk(any);
  if (GivenFlags().only) {
    fmt::print("{}", scenarios::ScenarioText(any.file));
    std::fflush(stdout);  // the run may end the process
  }
  const std::vector<std::string> violations = Violations(any);
  EXPECT_TRUE(violations.empty()) << Story(seed, violations, any.file);
}

TEST(PropertyTest, HoldForEveryScenario) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, SayWhichSeed);
  const Flags& flags = GivenFlags();
  if (flags.only) return CheckSeed(*flags.only);
  for (std::uint64_t seed = flags.first; seed < flags.first + flags.count; ++seed) {
    CheckSeed(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

// tests/properties/found/: what random scenarios have found, made small.
TEST(PropertyTest, HoldForEveryScenarioThatFailedOnce) {
  namespace fs = std::filesystem;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(SCHEDLAB_SOURCE_DIR "/tests/properties/found")) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto file = scenarios::ParseScenario(text.str());
    ASSERT_TRUE(file.has_value()) << entry.path() << ": " << file.error().message;

    const std::vector<std::string> violations = Violations({.kind = Kind::kWild, .file = *file});

    EXPECT_TRUE(violations.empty()) << entry.path() << "\n"
                                    << fmt::to_string(fmt::join(violations, "\n"));
    ++count;
  }
  EXPECT_GE(count, 5);
}

// A printed scenario is the one that failed.
TEST(PropertyTest, AScenarioReadBackIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const AnyScenario any = MakeAnyScenario(seed);
    if (any.kind == Kind::kFinite) continue;

    const auto read = scenarios::ParseScenario(scenarios::ScenarioText(any.file));

    ASSERT_TRUE(read.has_value()) << read.error().message << scenarios::ScenarioText(any.file);
    EXPECT_EQ(DigestOf(*read), DigestOf(any.file)) << "seed " << seed;
  }
}

void ReadFlags(std::string_view argument) {
  Flags& flags = GivenFlags();
  if (const auto seed = ReadFlag(argument, "--seed=")) flags.only = seed;
  if (const auto first = ReadFlag(argument, "--first=")) flags.first = *first;
  if (const auto count = ReadFlag(argument, "--scenarios=")) flags.count = *count;
  if (argument == "--shrink") flags.shrinks = true;
}

}  // namespace
}  // namespace schedlab::properties

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) schedlab::properties::ReadFlags(argv[i]);
  return RUN_ALL_TESTS();
}
