#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "client/command_line.h"
#include "client/commands/commands.h"
#include "client/terminal.h"

namespace {

using schedlab::client::ExitCode;
using schedlab::client::ParsedCommand;

ExitCode Execute(const ParsedCommand& command) {
  if (command.run) return command.run();
  if (command.code == ExitCode::kOk) {
    schedlab::client::Print(command.text);
  } else {
    schedlab::client::PrintDiagnostic(schedlab::client::EscapeControls(command.text));
  }
  return command.code;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away (`| head`) ends this program by an error of write(2), not by a signal
  // that would leave children behind.
  std::signal(SIGPIPE, SIG_IGN);
  schedlab::client::ReserveStandardStreams();
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const std::string folder = std::filesystem::path(program).parent_path().string();
  const ExitCode code = Execute(
      schedlab::client::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc), folder));
  const schedlab::Status output = schedlab::client::FinishOutput();
  if (output) return static_cast<int>(code);
  const ExitCode failed = schedlab::client::ReportError("cannot write to stdout", output.error());
  return static_cast<int>(code == ExitCode::kOk ? failed : code);
}
