#pragma once

#include <map>
#include <string>

namespace schedlab {

// A scheduling policy under evaluation. Switches and values are those of its implementation's file
// in catalog/policies/.
struct PolicySpec {
  std::string name;      // of its history, catalog/policies/<name>.toml; a series has one
  std::string revision;  // of its project; empty where it has none
  // The switches that were set by hand on top of the revision, "name=value,name=value" in order of
  // their names. A policy with another variant is another series.
  std::string variant;
  std::map<std::string, std::string> switches;  // every one; one left out has its default
  std::string implementation = {};              // what executes it; empty where it is `name`

  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

inline const std::string& ImplementationOf(const PolicySpec& policy) {
  return policy.implementation.empty() ? policy.name : policy.implementation;
}

}  // namespace schedlab
