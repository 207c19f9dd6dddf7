// Readable cases: a cluster's script and, below a line of dashes, the story that it must tell.
// --rewrite writes the story that it tells into the file.
//
//   submit runs=1 duration=45s   a job, whose attempts take that long
//   worker w1 slots=1            starts a worker
//   at 5s cut w1                 at that time: cut, join, kill, start or drain a worker;
//                                lose_request or lose_response, the next one of a worker;
//                                twin, another process with one slot and a worker's name;
//                                stop or start the coordinator; cancel the first job
//   run 100s                     until then; stands last

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cluster/cluster.h"

namespace schedlab::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Words = std::vector<std::string>;

constexpr std::string_view kDashes = "----";
constexpr std::uint64_t kSeed = 1;
constexpr std::string_view kCoordinator = "coordinator";

bool& IsRewriting() {
  static bool is_rewriting = false;
  return is_rewriting;
}

struct ScenarioText {
  std::vector<std::string> script;  // comments and empty lines included
  std::vector<std::string> story;
};

ScenarioText ReadScenario(const std::filesystem::path& path) {
  ScenarioText text;
  std::ifstream file(path);
  bool is_story = false;
  for (std::string line; std::getline(file, line);) {
    if (line == kDashes) {
      is_story = true;
    } else {
      (is_story ? text.story : text.script).push_back(line);
    }
  }
  return text;
}

void WriteScenario(const std::filesystem::path& path, const ScenarioText& text) {
  std::ofstream file(path, std::ios::trunc);
  for (const std::string& line : text.script) file << line << "\n";
  file << kDashes << "\n";
  for (const std::string& line : text.story) file << line << "\n";
}

Words WordsOf(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// "45s" or "250ms".
microseconds TimeOf(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error == std::errc() && unit == "s") return std::chrono::seconds(number);
  if (error == std::errc() && unit == "ms") return milliseconds(number);
  ADD_FAILURE() << "'" << text << "' is not a time";
  return {};
}

// The value of "key=value" among `words`.
std::string Option(const Words& words, std::string_view key) {
  for (const std::string& word : words) {
    if (word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=') {
      return word.substr(key.size() + 1);
    }
  }
  ADD_FAILURE() << "the option '" << key << "' is missing";
  return "1";
}

class ScriptedCluster {
 public:
  ScriptedCluster()
      : cluster_(kSeed, {.duration_of = [this](const Lease&) { return duration_; },
                         .outcome_of = [](const Lease&) { return MakeResult(100); }}) {}

  void Follow(const Words& words) {
    if (words.empty()) return;
    if (words[0] == "submit") return Submit(words);
    if (words[0] == "worker" && words.size() == 3) {
      cluster_.AddWorker(words[1], std::stoi(Option(words, "slots")));
    } else if (words[0] == "run" && words.size() == 2) {
      cluster_.timeline().RunUntil(TimeOf(words[1]));
    } else if (words[0] == "at" && words.size() == 4) {
      cluster_.timeline().At(TimeOf(words[1]), [this, words] { Act(words[2], words[3]); });
    } else {
      ADD_FAILURE() << "unknown command '" << words[0] << "' or wrong number of words";
    }
  }

  // What happened, then how every run ended.
  std::vector<std::string> Story() {
    cluster_.CheckRuns();
    EXPECT_EQ(cluster_.violations(), Violations{});
    std::vector<std::string> story = cluster_.story();
    for (const Run& run : cluster_.RunsOf(job_)) {
      story.push_back(
          fmt::format("run {} {} on attempt {}", run.id.value, ToString(run.state), run.attempt));
    }
    return story;
  }

 private:
  void Submit(const Words& words) {
    duration_ = TimeOf(Option(words, "duration"));
    job_ = cluster_.Submit({.repetitions = std::stoi(Option(words, "runs"))});
  }

  void Act(const std::string& action, const std::string& target) {
    if (target == kCoordinator) return ActOnCoordinator(action);
    if (action == "twin") {
      cluster_.AddWorker(target, 1);
      return;
    }
    if (action == "cancel") return cluster_.Cancel(job_);
    ClusterWorker* const worker = cluster_.FindWorker(target);
    if (worker == nullptr) {
      ADD_FAILURE() << "there is no worker '" << target << "'";
      return;
    }
    ActOnWorker(action, *worker);
  }

  void ActOnCoordinator(const std::string& action) {
    if (action == "stop") return cluster_.coordinator().Stop();
    if (action == "start") return cluster_.coordinator().Start();
    ADD_FAILURE() << "a coordinator cannot '" << action << "'";
  }

  void ActOnWorker(const std::string& action, ClusterWorker& worker) {
    const std::map<std::string, std::function<void()>> actions = {
        {"cut", [&] { worker.link().is_cut = true; }},
        {"join", [&] { worker.link().is_cut = false; }},
        {"kill", [&] { worker.Kill(); }},
        {"start", [&] { worker.Start(); }},
        {"drain", [&] { worker.Drain(); }},
        {"lose_request", [&] { ++worker.link().requests_to_lose; }},
        {"lose_response", [&] { ++worker.link().responses_to_lose; }},
    };
    const auto found = actions.find(action);
    if (found == actions.end()) {
      ADD_FAILURE() << "a worker cannot '" << action << "'";
      return;
    }
    found->second();
  }

  Cluster cluster_;
  microseconds duration_{};
  JobId job_;
};

std::filesystem::path Folder() {
  return std::filesystem::path(SCHEDLAB_SOURCE_DIR) / "tests/cluster/scenarios";
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ClusterScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ClusterScenarioTest, TellsItsStory) {
  const std::filesystem::path path = Folder() / (GetParam() + ".txt");
  ScenarioText text = ReadScenario(path);
  ScriptedCluster scripted;

  for (const std::string& line : text.script) scripted.Follow(WordsOf(line));
  const std::vector<std::string> story = scripted.Story();

  if (IsRewriting()) {
    text.story = story;
    WriteScenario(path, text);
  }
  EXPECT_EQ(story, text.story);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ClusterScenarioTest, ::testing::ValuesIn(ScenarioNames()),
                         [](const auto& scenario) { return scenario.param; });

}  // namespace
}  // namespace schedlab::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") schedlab::testing::IsRewriting() = true;
  }
  return RUN_ALL_TESTS();
}
