// digest_test [--rewrite]: the digests of random scenarios are those of digests.txt, whatever has
// compiled the simulator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "tests/properties/any_policy.h"
#include "tests/properties/any_scenario.h"
#include "tests/properties/properties.h"

namespace schedlab::properties {
namespace {

constexpr auto kPath = SCHEDLAB_SOURCE_DIR "/tests/properties/digests.txt";
constexpr std::size_t kCount = 200;
// Sanitizers have to be through with them soon.
constexpr std::int64_t kMostEvents = 8'000;

std::map<std::uint64_t, std::string> Expected() {
  std::map<std::uint64_t, std::string> digests;
  std::ifstream file(kPath);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    digests[std::stoull(line.substr(0, space))] = line.substr(space + 1);
  }
  return digests;
}

scenarios::ScenarioFile ScenarioOf(std::uint64_t seed) {
  scenarios::ScenarioFile file = MakeAnyScenario(seed).file;
  file.policy = AnyMixture(seed);
  return file;
}

std::string DigestText(std::uint64_t seed) {
  return fmt::format("{:016x}", DigestOf(ScenarioOf(seed)));
}

TEST(DigestTest, AreTheSameWhateverHasCompiledTheSimulator) {
  const std::map<std::uint64_t, std::string> expected = Expected();
  ASSERT_EQ(expected.size(), kCount);
  for (const auto& [seed, digest] : expected) {
    EXPECT_EQ(DigestText(seed), digest)
        << "seed " << seed << ". If the model was changed on purpose, say why, raise "
        << "kEngineVersion and run digest_test --rewrite";
  }
}

void Rewrite() {
  std::ofstream file(kPath);
  file << "# Seeds of tests/properties/any_scenario.h and the digests of their runs. Rewritten by\n"
       << "# digest_test --rewrite, only where the model was changed on purpose.\n";
  std::size_t count = 0;
  for (std::uint64_t seed = 1; count < kCount; ++seed) {
    if (EventCountOf(ScenarioOf(seed)) > kMostEvents) continue;
    file << fmt::format("{} {}\n", seed, DigestText(seed));
    ++count;
  }
}

}  // namespace
}  // namespace schedlab::properties

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::string(argv[1]) == "--rewrite") schedlab::properties::Rewrite();
  return RUN_ALL_TESTS();
}
