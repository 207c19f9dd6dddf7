#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "client/command_line.h"
#include "client/terminal.h"

int main(int argc, char** argv) {
  using schedlab::client::ExitCode;
  // A reader that goes away (`| head`) ends this program by an error of write(2), not by a signal
  // that would leave children behind.
  std::signal(SIGPIPE, SIG_IGN);
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  const std::string folder = std::filesystem::path(program).parent_path().string();
  const schedlab::client::ParsedCommand command =
      schedlab::client::ParseCommandLine(std::vector<std::string>(argv + 1, argv + argc), folder);
  if (command.run) return static_cast<int>(command.run());
  if (command.code == ExitCode::kOk) {
    schedlab::client::Print(command.text);
  } else {
    schedlab::client::PrintDiagnostic(command.text);
  }
  return static_cast<int>(command.code);
}
