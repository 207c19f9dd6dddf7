#pragma once

#include <map>
#include <string>

namespace schedlab {

// A scheduling policy under evaluation: the name of its implementation, the revision of its
// project that it stands for (empty where it has none), and a value for every switch that differs
// from the implementation's default. Names and values are those of catalog/policies/<name>.toml.
struct PolicySpec {
  std::string name;
  std::string revision;
  std::map<std::string, std::string> switches;

  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

}  // namespace schedlab
