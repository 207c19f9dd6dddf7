#include "client/settings_input.h"

#include <fmt/format.h>

#include <string_view>

#include "client/number_format.h"

namespace schedlab::client {
namespace {

tl::unexpected<Error> GivenTwice(std::string_view option, std::string_view name) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is given twice", option, name));
}

}  // namespace

Result<std::map<std::string, std::int64_t>> ParseParameters(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> parameters;
  for (const std::string& text : texts) {
    const Result<NameValue> pair = ParseNameValue("--param", text);
    if (!pair) return Fail(pair.error());
    const Result<std::int64_t> value = ParseInteger(pair->value);
    if (!value) return Fail(value.error().code, "--param " + text + ": " + value.error().message);
    if (!parameters.emplace(pair->name, *value).second) return GivenTwice("--param", pair->name);
  }
  return parameters;
}

Result<std::map<std::string, std::string>> ParseSwitches(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> switches;
  for (const std::string& text : texts) {
    const Result<NameValue> pair = ParseNameValue("--set", text);
    if (!pair) return Fail(pair.error());
    if (!switches.emplace(pair->name, pair->value).second) return GivenTwice("--set", pair->name);
  }
  return switches;
}

}  // namespace schedlab::client
