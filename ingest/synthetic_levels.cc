#include "ingest/synthetic_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

#include "core/limits.h"

namespace schedlab::ingest {
namespace {

constexpr std::size_t kMaxTextBytes = 65'536;
constexpr std::size_t kMaxLevels = 128;
constexpr std::size_t kShown = 40;

struct TypeWord {
  std::string_view word;
  SyntheticType type;
};
constexpr std::array<TypeWord, 8> kTypeWords = {{{"numanode", SyntheticType::kNode},
                                                 {"node", SyntheticType::kNode},
                                                 {"package", SyntheticType::kPackage},
                                                 {"socket", SyntheticType::kPackage},
                                                 {"die", SyntheticType::kDie},
                                                 {"core", SyntheticType::kCore},
                                                 {"pu", SyntheticType::kCpu},
                                                 {"group", SyntheticType::kGroup}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// "l3", "l3cache", "l2d", "l1dcache", "l1icache" and their like.
std::optional<SyntheticType> CacheType(std::string_view word) {
  if (word.size() < 2 || word[0] != 'l' || word[1] < '1' || word[1] > '5') return std::nullopt;
  const int depth = word[1] - '0';
  std::string_view rest = word.substr(2);
  const bool is_instruction = !rest.empty() && rest[0] == 'i';
  if (!rest.empty() && (rest[0] == 'i' || rest[0] == 'd' || rest[0] == 'u')) rest.remove_prefix(1);
  if (std::string_view("cache").substr(0, rest.size()) != rest) return std::nullopt;
  if (is_instruction || depth > 3) return SyntheticType::kOtherCache;
  constexpr std::array kByDepth = {SyntheticType::kL1, SyntheticType::kL2, SyntheticType::kL3};
  return kByDepth.at(static_cast<std::size_t>(depth - 1));
}

bool IsCache(SyntheticType type) {
  return type == SyntheticType::kL1 || type == SyntheticType::kL2 || type == SyntheticType::kL3 ||
         type == SyntheticType::kOtherCache;
}

// The position in the text; every error names it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  void SkipBlanks() {
    while (Peek() == ' ') ++at_;
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // Everything up to one of `stops`, or to the end.
  std::string_view TakeUntil(std::string_view stops) {
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ = end;
    return taken;
  }
  tl::unexpected<Error> Refuse(std::string_view why) const {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("hwloc synthetic string: {} at '{}'", why, text_.substr(at_, kShown)));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// "32768", "64kB", "1GiB".
bool IsSize(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return false;
  const std::string unit = Lower(std::string_view(stop, static_cast<std::size_t>(end - stop)));
  constexpr std::array<std::string_view, 9> kUnits = {"",    "kb",  "mb",  "gb", "tb",
                                                      "kib", "mib", "gib", "tib"};
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

// "(size=1MB indexes=0,1)": checks all, returns the indexes.
Result<std::string> ReadAttributes(Scanner& scanner, SyntheticType type) {
  std::string indexes;
  if (!scanner.Take('(')) return indexes;
  while (!scanner.Take(')')) {
    const Scanner before = scanner;
    const std::string_view name = scanner.TakeUntil("=) ");
    if (!scanner.Take('=')) return before.Refuse("an attribute without a value");
    const std::string_view value = scanner.TakeUntil(") ");
    const bool is_size = (name == "size" && IsCache(type)) ||
                         (name == "memory" && !IsCache(type)) ||
                         (name == "memorysidecachesize" && !IsCache(type));
    if (name == "indexes") {
      indexes = std::string(value);
      if (indexes.empty()) return before.Refuse("no index");
    } else if (!is_size) {
      return before.Refuse("an attribute that this object does not have");
    } else if (!IsSize(value)) {
      return before.Refuse("no size");
    }
    if (scanner.AtEnd()) return before.Refuse("no ')' after attributes");
    scanner.SkipBlanks();
  }
  return indexes;
}

Result<AttachedNode> ReadAttached(Scanner& scanner, std::size_t level_count) {
  const Scanner before = scanner;
  scanner.Take('[');
  const Result<SyntheticType> type = ParseSyntheticType(scanner.TakeUntil("(]"));
  if (!type) return before.Refuse(type.error().message);
  if (*type != SyntheticType::kNode)
    return before.Refuse("something in brackets that is no memory");
  const Result<std::string> indexes = ReadAttributes(scanner, *type);
  if (!indexes) return Fail(indexes.error());
  if (!scanner.Take(']')) return before.Refuse("no ']'");
  return AttachedNode{level_count, *indexes};
}

Result<std::int64_t> ReadCount(Scanner& scanner) {
  const Scanner before = scanner;
  const std::string_view digits = scanner.TakeUntil(" ([");
  std::int64_t count = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, count);
  if (error != std::errc() || stop != end || count < 1 || count > kMaxCpus) {
    return before.Refuse(fmt::format("no number of objects from 1 to {}", kMaxCpus));
  }
  return count;
}

Result<SyntheticLevel> ReadLevel(Scanner& scanner) {
  SyntheticLevel level;
  if (!IsDigit(scanner.Peek())) {
    const Scanner before = scanner;
    level.word = std::string(scanner.TakeUntil(":([ "));
    const Result<SyntheticType> type = ParseSyntheticType(level.word);
    if (!type) return before.Refuse(type.error().message);
    level.type = *type;
    if (!scanner.Take(':')) return before.Refuse("no ':' and number of objects");
  }
  const Result<std::int64_t> count = ReadCount(scanner);
  if (!count) return Fail(count.error());
  level.count = *count;
  const Result<std::string> indexes = ReadAttributes(scanner, level.type);
  if (!indexes) return Fail(indexes.error());
  level.indexes = *indexes;
  return level;
}

// In order of priority: package needs four levels with the machine, nodes three, cores five, and
// caches take what is left; groups the rest. They are placed as groups, package, nodes, caches,
// cores.
std::vector<SyntheticType> TypesOfUntyped(std::size_t count) {
  using enum SyntheticType;
  const std::size_t with_machine = count + 2;  // and with the CPUs
  std::vector<SyntheticType> caches;
  if (with_machine > 5) caches = {kL2};
  if (with_machine > 6) caches = {kL2, kL1};
  if (with_machine > 7) caches = {kL3, kL2, kL1};
  if (with_machine > 8) caches = {kL3, kL2, kL1, kOtherCache};
  std::vector<SyntheticType> types;
  if (with_machine >= 4) types.push_back(kPackage);
  if (with_machine >= 3) types.push_back(kNode);
  types.insert(types.end(), caches.begin(), caches.end());
  if (with_machine >= 5) types.push_back(kCore);
  types.insert(types.begin(), count - types.size(), kGroup);
  return types;
}

Status FillTypes(std::vector<SyntheticLevel>& levels) {
  levels.back().type = SyntheticType::kCpu;
  const std::size_t inner = levels.size() - 1;
  const auto untyped = static_cast<std::size_t>(std::count_if(
      levels.begin(), levels.end(),
      [](const SyntheticLevel& level) { return level.type == SyntheticType::kUntyped; }));
  if (untyped == 0) return {};
  if (untyped != inner) {
    return Fail(ErrorCode::kInvalidArgument,
                "hwloc synthetic string: some levels have a type and some have none");
  }
  const std::vector<SyntheticType> types = TypesOfUntyped(untyped);
  for (std::size_t i = 0; i < inner; ++i) levels[i].type = types[i];
  return {};
}

Status CheckOnce(const SyntheticMachine& machine) {
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    const SyntheticLevel& level = machine.levels[i];
    if (level.type == SyntheticType::kGroup || level.type == SyntheticType::kOtherCache) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (machine.levels[j].type != level.type) continue;
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("hwloc synthetic string: level '{}' stands twice", level.word));
    }
    if (level.type == SyntheticType::kNode && !machine.attached.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "hwloc synthetic string: NUMA nodes both as a level and in brackets");
    }
  }
  return {};
}

Status CheckLast(const std::vector<SyntheticLevel>& levels) {
  if (levels.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "hwloc synthetic string: has no level");
  }
  const SyntheticLevel& last = levels.back();
  if (last.type == SyntheticType::kCpu || last.type == SyntheticType::kUntyped) return {};
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("hwloc synthetic string: the last level is '{}'; it must be pu", last.word));
}

}  // namespace

Result<SyntheticType> ParseSyntheticType(std::string_view text) {
  const std::string word = Lower(text);
  if (const std::optional<SyntheticType> cache = CacheType(word)) return *cache;
  std::string_view letters = word;
  // Groups may be numbered: "group2".
  if (word.substr(0, 2) == "gr") letters = letters.substr(0, letters.find_first_of("0123456789"));
  for (const TypeWord& known : kTypeWords) {
    if (letters.size() >= 2 && known.word.substr(0, letters.size()) == letters) return known.type;
  }
  return Fail(ErrorCode::kInvalidArgument, "an unknown type of level");
}

Result<SyntheticMachine> ParseSyntheticMachine(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("hwloc synthetic string: has {} bytes; at most {} are read",
                            text.size(), kMaxTextBytes));
  }
  Scanner scanner(text);
  SyntheticMachine machine;
  scanner.SkipBlanks();
  if (const Result<std::string> root = ReadAttributes(scanner, SyntheticType::kGroup); !root) {
    return Fail(root.error());
  }
  for (scanner.SkipBlanks(); !scanner.AtEnd(); scanner.SkipBlanks()) {
    if (machine.levels.size() + machine.attached.size() == kMaxLevels) {
      return scanner.Refuse(fmt::format("more than {} levels", kMaxLevels));
    }
    if (scanner.Peek() == '[') {
      const Result<AttachedNode> node = ReadAttached(scanner, machine.levels.size());
      if (!node) return Fail(node.error());
      machine.attached.push_back(*node);
      continue;
    }
    const Result<SyntheticLevel> level = ReadLevel(scanner);
    if (!level) return Fail(level.error());
    machine.levels.push_back(*level);
  }
  if (Status s = CheckLast(machine.levels); !s) return Fail(s.error());
  if (Status s = FillTypes(machine.levels); !s) return Fail(s.error());
  if (Status s = CheckOnce(machine); !s) return Fail(s.error());
  return machine;
}

}  // namespace schedlab::ingest
