#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include "client/child_process.h"
#include "client/commands/commands.h"
#include "client/number_format.h"
#include "client/text_file.h"
#include "stats/good_or_bad.h"

namespace schedlab::client {
namespace {

Result<double> ParseNumber(const std::string& word) {
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, value);
  if (error == std::errc() && rest == end) return value;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("'{}' is not a number", word));
}

Result<std::vector<double>> ReadNumbers(const std::string& path) {
  const Result<std::string> text = ReadTextFile(path);
  if (!text) return Fail(text.error());
  std::vector<double> numbers;
  std::istringstream words(*text);
  for (std::string word; words >> word;) {
    const Result<double> number = ParseNumber(word);
    if (!number) return Fail(number.error().code, path + ": " + number.error().message);
    numbers.push_back(*number);
  }
  return numbers;
}

Result<double> Measure(const std::string& command, std::chrono::milliseconds timeout) {
  const Result<std::string> output = CaptureOutput({"/bin/sh", "-c", command}, timeout);
  if (!output) return Fail(output.error());
  std::istringstream words(*output);
  std::string last;
  while (words >> last) continue;
  return ParseNumber(last);
}

ExitCode Abort(const Error& error) {
  ReportError("cannot judge any commit", error);
  return ExitCode::kBisectAbort;
}

ExitCode Judge(double good_probability, const BisectStepOptions& options) {
  const bool is_good = good_probability >= options.confidence;
  const bool is_bad = 1 - good_probability >= options.confidence;
  Print(fmt::format("{}: good with {:.1f} %, bad with {:.1f} %, by {} runs\n",
                    is_good  ? "good"
                    : is_bad ? "bad"
                             : "cannot tell",
                    100 * good_probability, 100 * (1 - good_probability), options.run_count));
  if (is_good) return ExitCode::kOk;
  return is_bad ? ExitCode::kRegression : ExitCode::kBisectSkip;
}

}  // namespace

ExitCode RunBisectStep(const GlobalOptions& /*global*/, const BisectStepOptions& options) {
  const Result<std::chrono::nanoseconds> timeout = ParseDuration(options.timeout);
  if (!timeout) return Abort(timeout.error());
  const Result<std::vector<double>> good = ReadNumbers(options.good_path);
  if (!good) return Abort(good.error());
  const Result<std::vector<double>> bad = ReadNumbers(options.bad_path);
  if (!bad) return Abort(bad.error());
  std::vector<double> values;
  for (std::int64_t i = 0; i < options.run_count; ++i) {
    const Result<double> value =
        Measure(options.command, std::chrono::ceil<std::chrono::milliseconds>(*timeout));
    if (!value) {
      ReportError("cannot tell", value.error());
      return ExitCode::kBisectSkip;
    }
    values.push_back(*value);
  }
  const Result<double> good_probability = stats::ProbabilityOfGood(*good, *bad, values);
  if (!good_probability) return Abort(good_probability.error());
  return Judge(*good_probability, options);
}

}  // namespace schedlab::client
