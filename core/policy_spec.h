#pragma once

#include <map>
#include <string>

namespace schedlab {

// A scheduling policy under evaluation. Names, switches and values are those of
// catalog/policies/<name>.toml.
struct PolicySpec {
  std::string name;      // of its implementation
  std::string revision;  // of its project; empty where it has none
  // The switches that were set by hand on top of the revision, "name=value,name=value" in order of
  // their names. A policy with another variant is another series.
  std::string variant;
  std::map<std::string, std::string> switches;  // every one; one left out has its default

  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

}  // namespace schedlab
