#include "tests/properties/any_policy.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "sim/fair/switches.h"
#include "sim/random_stream.h"
#include "sim/reference/switches.h"

namespace schedlab::properties {
namespace {

using sim::RandomStream;

const Catalog& ShippedCatalog() {
  static const Catalog kCatalog = ParseCatalog(EmbeddedCatalogFiles()).value();
  return kCatalog;
}

template <class Value>
const Value& AnyOf(RandomStream& random, const std::vector<Value>& values) {
  return values[static_cast<std::size_t>(random.Below(static_cast<std::int64_t>(values.size())))];
}

PolicySpec AnyReferencePolicy(RandomStream& random) {
  constexpr std::array<std::string_view, 5> kNames = {"global-fifo", "per-cpu-fifo", "round-robin",
                                                      "work-stealing", "oracle"};
  PolicySpec policy;
  policy.name = kNames[static_cast<std::size_t>(random.Below(kNames.size()))];
  if (policy.name == "round-robin") {
    const auto& quantum = sim::reference::RoundRobinSwitches().front();
    policy.switches["quantum"] = AnyOf(random, quantum.values);
  } else if (policy.name == "work-stealing") {
    const auto& victim = sim::reference::WorkStealingSwitches().front();
    policy.switches["victim"] = AnyOf(random, victim.values);
  }
  return policy;
}

// One that some kernel had.
PolicySpec AnyRevision(RandomStream& random) {
  std::vector<std::string> references;
  for (const PolicyDefinition& policy : ShippedCatalog().policies) {
    const bool is_fair = policy.name == "linux-fair" || policy.implementation == "linux-fair";
    if (is_fair) references.push_back(policy.name);
  }
  const std::string& name = AnyOf(random, references);
  const PolicyDefinition& history = *ShippedCatalog().FindPolicy(name).value();
  const std::string reference = fmt::format("{}@{}", name, AnyOf(random, history.revisions).id);
  PolicySpec policy = ResolvePolicy(ShippedCatalog(), reference, {}).value();
  policy.name = "linux-fair";
  policy.implementation = "";
  return policy;
}

// A stream for each switch: a new one leaves what is drawn for the others as it is.
void MixIn(std::uint64_t seed, std::int64_t permille, PolicySpec& policy) {
  for (const sim::fair::KnownSwitch& one : sim::fair::KnownSwitches()) {
    RandomStream random(seed, one.name);
    if (!random.OneIn1000(permille)) continue;
    policy.switches[std::string(one.name)] = AnyOf(random, one.values);
  }
}

}  // namespace

PolicySpec AnyMixture(std::uint64_t seed) {
  RandomStream random(seed, "mixture");
  if (random.OneIn1000(150)) return AnyReferencePolicy(random);
  PolicySpec policy;
  policy.name = "linux-fair";
  MixIn(seed, 100 + random.Below(900), policy);
  return policy;
}

PolicySpec AnyPolicy(std::uint64_t seed) {
  RandomStream random(seed, "policy");
  const std::int64_t draw = random.Below(100);
  if (draw < 15) return AnyReferencePolicy(random);
  PolicySpec policy = AnyRevision(random);
  // A revision as it was; one with a few switches changed; or any mixture of all.
  MixIn(seed, draw < 50 ? 0 : draw < 85 ? 50 : 1'000, policy);
  for (const sim::fair::KnownSwitch& one : sim::fair::KnownSwitches()) {
    const auto set = policy.switches.find(std::string(one.name));
    if (set != policy.switches.end() && set->second == one.values.front()) {
      policy.switches.erase(set);
    }
  }
  return policy;
}

}  // namespace schedlab::properties
