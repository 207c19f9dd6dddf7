// run_scenarios [--rewrite] FOLDER: simulates every *.txt below FOLDER and compares what comes out
// with what the file expects. With --rewrite the files are changed to expect what comes out.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/scenario_file.h"

namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Check(const fs::path& path, bool rewrites) {
  const auto scenario = schedlab::scenarios::ParseScenario(ReadFile(path));
  if (!scenario) {
    fmt::print(stderr, "{}: {}\n", path.string(), scenario.error().message);
    return false;
  }
  const auto actual = schedlab::scenarios::RunScenario(*scenario);
  if (!actual) {
    fmt::print(stderr, "{}: {}\n", path.string(), actual.error().message);
    return false;
  }
  if (*actual == scenario->expected) return true;
  if (rewrites) {
    std::ofstream(path) << scenario->text << "----\n" << *actual;
    return true;
  }
  fmt::print(stderr, "{}: expected\n{}but got\n{}", path.string(), scenario->expected, *actual);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool rewrites = argc == 3 && std::string_view(argv[1]) == "--rewrite";
  if (argc != 2 && !rewrites) {
    fmt::print(stderr, "usage: run_scenarios [--rewrite] FOLDER\n");
    return 2;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(argv[argc - 1])) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  int failed_count = 0;
  for (const fs::path& path : paths) failed_count += Check(path, rewrites) ? 0 : 1;
  fmt::print("{} scenarios, {} failed\n", paths.size(), failed_count);
  return paths.empty() || failed_count > 0 ? 1 : 0;
}
