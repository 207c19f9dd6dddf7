#include "client/private_postgres.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "client/environment.h"
#include "client/number_format.h"
#include "client/text_file.h"

namespace schedlab::client {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::string_view kInstallLine = "sudo apt-get install postgresql";
constexpr std::string_view kSocketName = "/.s.PGSQL.5432";
constexpr std::size_t kLongestSocketPath = 107;
constexpr std::string_view kUser = "schedlab";
constexpr seconds kCreationTakesAtMost{120};
constexpr milliseconds kPollPeriod{20};

std::vector<std::string> CandidateFolders() {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    folders.push_back((entry.path() / "bin").string());
  }
  std::istringstream path(EnvironmentVariable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) folders.push_back(folder);
  return folders;
}

// Both programs must be there: a client-only installation has neither.
std::optional<PostgresInstall> InstallIn(const std::string& folder) {
  if (access((folder + "/initdb").c_str(), X_OK) != 0) return std::nullopt;
  const Result<std::string> version =
      CaptureOutput({folder + "/postgres", "--version"}, seconds{10});
  const int major = version ? MajorVersionOf(*version) : 0;
  if (major == 0) return std::nullopt;
  return PostgresInstall{folder, major};
}

int ClusterMajorVersion(const std::string& cluster) {
  const Result<std::string> text = ReadTextFile(cluster + "/PG_VERSION");
  return text ? std::atoi(text->c_str()) : 0;  // NOLINT(cert-err34-c): 0 = there is none
}

struct PidFile {
  pid_t pid = 0;
  std::string state;  // "ready" once connections are accepted
};

// The lines of postmaster.pid that PostgreSQL's own pg_ctl reads too (miscadmin.h).
PidFile ReadPidFile(const std::string& cluster) {
  PidFile file;
  const Result<std::string> text = ReadTextFile(cluster + "/postmaster.pid");
  if (!text) return file;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (number == 1) file.pid = static_cast<pid_t>(ParseInteger(line).value_or(0));
    if (number == 8) file.state = line.substr(0, line.find(' '));
  }
  return file;
}

// Another program may have got the number of a dead server. A server works in its cluster.
bool IsServerOf(pid_t pid, const std::string& cluster) {
  std::error_code ignored;
  return fs::equivalent(fmt::format("/proc/{}/cwd", pid), cluster, ignored);
}

// A value of a libpq connection string.
std::string Quote(std::string_view value) {
  std::string quoted = "'";
  for (const char character : value) {
    if (character == '\'' || character == '\\') quoted += '\\';
    quoted += character;
  }
  return quoted + "'";
}

std::string ConnectionStringOf(const std::string& socket_folder, const std::string& password_file) {
  return fmt::format("host={} port=5432 user={} dbname=schedlab passfile={}", Quote(socket_folder),
                     kUser, Quote(password_file));
}

bool EndsWithin(pid_t pid, milliseconds timeout) {
  const FileDescriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!end.is_open()) return true;
  pollfd ended{.fd = end.get(), .events = POLLIN, .revents = 0};
  return poll(&ended, 1, static_cast<int>(timeout.count())) > 0;
}

}  // namespace

bool FitsSocket(std::string_view folder) {
  return folder.size() + kSocketName.size() <= kLongestSocketPath;
}

int MajorVersionOf(std::string_view version_text) {
  constexpr std::string_view kBefore = "(PostgreSQL) ";
  const std::size_t found = version_text.find(kBefore);
  if (found == std::string_view::npos) return 0;
  int major = 0;
  for (const char digit : version_text.substr(found + kBefore.size())) {
    if (std::isdigit(static_cast<unsigned char>(digit)) == 0 || major > 1000) break;
    major = major * 10 + (digit - '0');
  }
  return major;
}

Result<PostgresInstall> FindPostgres(int wanted_major) {
  const std::string configured = EnvironmentVariable("SCHEDLAB_PG_BINDIR");
  std::optional<PostgresInstall> newest;
  for (const std::string& folder :
       configured.empty() ? CandidateFolders() : std::vector<std::string>{configured}) {
    const std::optional<PostgresInstall> found = InstallIn(folder);
    if (!found) continue;
    if (found->major_version == wanted_major) return *found;
    if (!newest || found->major_version > newest->major_version) newest = found;
  }
  if (newest) return *newest;
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("no PostgreSQL programs (initdb, postgres) in {}: install them with "
                          "`{}`, or name their folder in SCHEDLAB_PG_BINDIR",
                          configured.empty() ? "/usr/lib/postgresql/*/bin or PATH"
                                             : configured + " (SCHEDLAB_PG_BINDIR)",
                          kInstallLine));
}

PrivatePostgres::PrivatePostgres(const DataFolder& folder, PostgresInstall install)
    : folder_(&folder), install_(std::move(install)) {}

Result<PrivatePostgres> PrivatePostgres::Prepare(const DataFolder& folder) {
  const int existing = ClusterMajorVersion(folder.FilePath("postgres"));
  const Result<PostgresInstall> install = FindPostgres(existing);
  if (!install) return Fail(install.error());
  if (existing != 0 && existing != install->major_version) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("data folder {} was made by PostgreSQL {}, but {} has PostgreSQL {}: install "
                    "that version with `{}-{}`, or choose another folder with --data-dir",
                    folder.path(), existing, install->bin_folder, install->major_version,
                    kInstallLine, existing));
  }
  PrivatePostgres postgres(folder, *install);
  Status status = postgres.ChooseSocketFolder();
  if (status) status = existing == 0 ? postgres.CreateCluster() : postgres.EndLeftOver();
  if (!status) return Fail(status.error());
  return postgres;
}

PrivatePostgres::~PrivatePostgres() {
  if (!owns_socket_folder_ || socket_folder_.empty()) return;
  std::error_code ignored;
  fs::remove_all(socket_folder_, ignored);
}

Status PrivatePostgres::ChooseSocketFolder() {
  if (FitsSocket(folder_->path())) {
    socket_folder_ = folder_->path();
    return {};
  }
  std::string name = "/tmp/schedlab-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot create {}: {}", name, std::strerror(errno)));
  }
  socket_folder_ = name;
  owns_socket_folder_ = true;
  const std::optional<Account>& account = folder_->account();
  if (account && chown(name.c_str(), account->uid, account->gid) != 0) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot give {} to user {}", name, account->name));
  }
  return {};
}

Status PrivatePostgres::CreateCluster() const {
  // Made beside and renamed: a cluster that exists is complete. --no-sync saves seconds: all that a
  // machine's crash in the first half minute of a folder could lose is a folder without results.
  const std::string draft = ClusterPath() + ".new";
  const std::string child_draft = folder_->ChildPath("postgres.new");
  std::error_code ignored;
  fs::remove_all(draft, ignored);
  ChildSpec spec{
      .name = "initdb",
      .arguments = {install_.bin_folder + "/initdb", "--pgdata", child_draft, "--username",
                    std::string(kUser), "--pwfile", folder_->ChildPath("password"),
                    "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"},
      .environment = {"LC_ALL=C.UTF-8"},
      .log_path = folder_->LogPath("initdb"),
      .account = folder_->account(),
      .kept_descriptor = folder_->child_descriptor()};
  Status status = RunToEnd(spec, kCreationTakesAtMost);
  if (!status) return status;
  status = folder_->WriteFile("create.sql", "CREATE DATABASE schedlab\n");
  if (!status) return status;
  spec.name = "postgres --single";
  spec.arguments = {install_.bin_folder + "/postgres", "--single", "-D", child_draft, "postgres"};
  spec.input_path = folder_->FilePath("create.sql");
  status = RunToEnd(spec, kCreationTakesAtMost);
  if (!status) return status;
  const Result<std::string> password = folder_->Password();
  if (!password) return Fail(password.error());
  status = folder_->WriteFile("pgpass", fmt::format("*:*:*:{}:{}\n", kUser, *password));
  if (!status) return status;
  unlink(spec.input_path.c_str());
  if (rename(draft.c_str(), ClusterPath().c_str()) == 0) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot rename {}: {}", draft, std::strerror(errno)));
}

Status PrivatePostgres::EndLeftOver() const {
  const std::string cluster = ClusterPath();
  const pid_t pid = ReadPidFile(cluster).pid;
  if (pid <= 0 || kill(pid, 0) != 0) return {};  // PostgreSQL itself clears a dead one's file
  if (!IsServerOf(pid, cluster)) {
    unlink((cluster + "/postmaster.pid").c_str());
    return {};
  }
  // The lock is ours, so its parent is gone: it is ending, or must.
  for (const int signal : {SIGINT, SIGQUIT}) {
    kill(pid, signal);
    if (EndsWithin(pid, seconds{15})) return {};
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("an earlier PostgreSQL (pid {}) still runs in {} and does not end", pid,
                          cluster));
}

ChildSpec PrivatePostgres::ServerSpec() const {
  return {.name = "postgres",
          .arguments = {install_.bin_folder + "/postgres", "-D", folder_->ChildPath("postgres"),
                        "-c", "listen_addresses=", "-c", "port=5432", "-c",
                        "unix_socket_directories=" + ChildSocketFolder(), "-c",
                        "unix_socket_permissions=0700", "-c", "logging_collector=off", "-c",
                        "max_connections=100"},
          .environment = {"LC_ALL=C.UTF-8"},
          .log_path = folder_->LogPath("postgres"),
          .account = folder_->account(),
          .kept_descriptor = folder_->child_descriptor(),
          .parent_death_signal = SIGINT,
          .stop_signal = SIGINT,
          .stop_deadline = seconds{30}};
}

Status PrivatePostgres::WaitUntilReady(ChildProcess& server, milliseconds timeout) const {
  const auto deadline = steady_clock::now() + timeout;
  while (true) {
    const PidFile file = ReadPidFile(ClusterPath());
    if (file.pid == server.pid() && file.state == "ready") return {};
    const std::optional<std::string> end = server.WaitEnd(kPollPeriod);
    if (!end && steady_clock::now() < deadline) continue;
    const std::string log = folder_->LogPath("postgres");
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("PostgreSQL {}; the end of its log {}:\n{}",
                            end ? "ended with " + *end : "does not get ready", log, LogTail(log)));
  }
}

std::string PrivatePostgres::ChildSocketFolder() const {
  if (owns_socket_folder_ || !folder_->is_below_closed_folder()) return socket_folder_;
  return folder_->ChildPath(".");
}

std::string PrivatePostgres::ConnectionString() const {
  return ConnectionStringOf(socket_folder_, folder_->FilePath("pgpass"));
}

std::string PrivatePostgres::ChildConnectionString() const {
  return ConnectionStringOf(ChildSocketFolder(), folder_->ChildPath("pgpass"));
}

}  // namespace schedlab::client
