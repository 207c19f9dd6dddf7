// switch_test [--search=N]: every value of every switch changes the digest of some run. The runs
// that show it stand in switch_witnesses.txt, which --search finds anew among N scenarios.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/catalog.h"
#include "sim/fair/switches.h"
#include "tests/properties/any_scenario.h"
#include "tests/properties/flags.h"
#include "tests/properties/properties.h"

namespace schedlab::properties {
namespace {

constexpr auto kFolder = SCHEDLAB_SOURCE_DIR "/tests/properties/";
constexpr std::array kReleases = {"v2.6.31", "v2.6.32", "v2.6.33", "v2.6.36", "v3.4",
                                  "v3.11",   "v3.13",   "v4.1",    "v4.13",   "v4.20",
                                  "v5.7",    "v6.0",    "v6.6",    "v6.12"};

const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

// A scenario, by its seed or by its name below switches/, under a release, "17@v3.4", or under the
// policy that it names itself, "many_movable_on_one_cpu@own".
constexpr auto kOwnPolicy = "own";
struct Witness {
  std::string scenario;
  std::string release;

  std::string Text() const { return scenario + "@" + release; }
  bool IsRandom() const { return scenario.find_first_not_of("0123456789") == std::string::npos; }
  // Random ones are shorter than those that were written for a switch.
  std::tuple<bool, std::size_t, std::string> Rank() const {
    return {!IsRandom(), scenario.size(), scenario};
  }
};

scenarios::ScenarioFile ScenarioOf(const Witness& witness) {
  if (witness.IsRandom()) return MakeAnyScenario(std::stoull(witness.scenario)).file;
  std::ostringstream text;
  text << std::ifstream(fmt::format("{}switches/{}.txt", kFolder, witness.scenario)).rdbuf();
  const auto file = scenarios::ParseScenario(text.str());
  EXPECT_TRUE(file.has_value()) << witness.scenario << ": " << file.error().message;
  return *file;
}

std::uint64_t DigestWith(const Witness& witness, std::string_view name, std::string_view value) {
  scenarios::ScenarioFile file = ScenarioOf(witness);
  if (witness.release == kOwnPolicy) {
    file.policy.switches[std::string(name)] = value;
    return DigestOf(file);
  }
  file.policy = ResolvePolicy(ShippedCatalog(), "linux-fair-releases@" + witness.release,
                              {{std::string(name), std::string(value)}})
                    .value();
  return DigestOf(file);
}

using Pair = std::pair<std::string, std::string>;  // of values

std::set<Pair> PairsOf(const sim::fair::KnownSwitch& one) {
  std::set<Pair> pairs;
  for (std::size_t i = 0; i < one.values.size(); ++i) {
    for (std::size_t j = i + 1; j < one.values.size(); ++j) {
      pairs.emplace(one.values[i], one.values[j]);
    }
  }
  return pairs;
}

// Takes out of `pairs` those that differ in the run of `witness`; returns whether there are any.
bool TellApart(const sim::fair::KnownSwitch& one, const Witness& witness, std::set<Pair>& pairs) {
  std::map<std::string, std::uint64_t> digests;
  for (const auto& [left, right] : pairs) {
    for (const std::string& value : {left, right}) {
      if (!digests.contains(value)) digests[value] = DigestWith(witness, one.name, value);
    }
  }
  return std::erase_if(pairs, [&](const Pair& pair) {
           return digests.at(pair.first) != digests.at(pair.second);
         }) > 0;
}

std::map<std::string, std::vector<Witness>> KnownWitnesses() {
  std::map<std::string, std::vector<Witness>> witnesses;
  std::ifstream file(fmt::format("{}switch_witnesses.txt", kFolder));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    if (!(words >> name) || name.front() == '#') continue;
    for (std::string word; words >> word;) {
      const std::size_t at = word.find('@');
      witnesses[name].push_back({word.substr(0, at), word.substr(at + 1)});
    }
  }
  return witnesses;
}

std::string Text(const std::set<Pair>& pairs) {
  std::string text;
  for (const auto& [left, right] : pairs) text += fmt::format(" {}/{}", left, right);
  return text;
}

// Pairs of values that no run tells apart, and why.
const std::map<std::string, std::set<Pair>>& Exceptions() {
  static const std::map<std::string, std::set<Pair>> kExceptions = {};
  return kExceptions;
}

TEST(SwitchTest, AnyTwoValuesOfASwitchDifferInSomeRun) {
  const auto witnesses = KnownWitnesses();
  for (const sim::fair::KnownSwitch& one : sim::fair::KnownSwitches()) {
    const std::string name(one.name);
    std::set<Pair> pairs = PairsOf(one);
    const auto exceptions = Exceptions().find(name);
    if (exceptions != Exceptions().end()) {
      for (const Pair& pair : exceptions->second) pairs.erase(pair);
    }
    const auto known = witnesses.find(name);
    if (known != witnesses.end()) {
      for (const Witness& witness : known->second) TellApart(one, witness, pairs);
    }
    EXPECT_TRUE(pairs.empty()) << name << ": no run tells apart" << Text(pairs)
                               << "; find one with switch_test --search=1000";
  }
}

std::vector<Witness> Candidates(std::uint64_t count) {
  std::vector<Witness> candidates;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("{}switches", kFolder))) {
    candidates.push_back({entry.path().stem().string(), kOwnPolicy});
  }
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    if (MakeAnyScenario(seed).kind == Kind::kFinite) continue;
    candidates.push_back({fmt::format("{}", seed), kReleases[seed % kReleases.size()]});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Witness& a, const Witness& b) { return a.Rank() < b.Rank(); });
  return candidates;
}

// Keeps what is known as long as it is enough.
std::vector<std::string> FindWitnesses(const sim::fair::KnownSwitch& one,
                                       const std::vector<Witness>& known,
                                       const std::vector<Witness>& candidates) {
  std::set<Pair> pairs = PairsOf(one);
  std::vector<std::string> found;
  for (const std::vector<Witness>* const list : {&known, &candidates}) {
    for (const Witness& witness : *list) {
      if (pairs.empty()) break;
      if (TellApart(one, witness, pairs)) found.push_back(witness.Text());
    }
  }
  if (!pairs.empty()) fmt::print("{}: alike:{}\n", one.name, Text(pairs));
  std::fflush(stdout);
  return found;
}

void Search(std::uint64_t count) {
  auto known = KnownWitnesses();
  const std::vector<Witness> candidates = Candidates(count);
  std::string text =
      "# Runs in which the values of a switch differ: SCENARIO@RELEASE, by seed or by name.\n"
      "# Written by switch_test --search=N.\n";
  for (const sim::fair::KnownSwitch& one : sim::fair::KnownSwitches()) {
    const auto found = FindWitnesses(one, known[std::string(one.name)], candidates);
    text += fmt::format("{} {}\n", one.name, fmt::join(found, " "));
  }
  std::ofstream(fmt::format("{}switch_witnesses.txt", kFolder)) << text;
}

}  // namespace
}  // namespace schedlab::properties

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 2) {
    if (const auto count = schedlab::properties::ReadFlag(argv[1], "--search=")) {
      schedlab::properties::Search(*count);
    }
  }
  return RUN_ALL_TESTS();
}
