#include "server/catalog_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "core/limits.h"

namespace schedlab::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;

Result<CatalogFile> ReadFile(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(kMaxSuiteFileBytes)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has {} bytes; a catalog file may have {}", path.string(), size,
                            kMaxSuiteFileBytes));
  }
  std::ifstream stream(path, std::ios::binary);
  CatalogFile file{.path = path.lexically_relative(folder).string(), .text = ""};
  file.text.assign(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  if (error || !stream) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}", path.string()));
  }
  return file;
}

Result<std::vector<fs::path>> ListFiles(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".toml") paths.push_back(entry->path());
    if (paths.size() > kMaxFiles) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("catalog folder {} has more than {} files", folder, kMaxFiles));
    }
  }
  if (error) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("cannot read catalog folder {}: {}", folder, error.message()));
  }
  if (paths.empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("catalog folder {} has no .toml files", folder));
  }
  // In the file system's order they would differ from machine to machine.
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Result<Catalog> LoadCatalog(const std::string& folder) {
  if (folder.empty()) return ParseCatalog(EmbeddedCatalogFiles());
  const Result<std::vector<fs::path>> paths = ListFiles(folder);
  if (!paths) return Fail(paths.error());
  std::vector<CatalogFile> files;
  for (const fs::path& path : *paths) {
    Result<CatalogFile> file = ReadFile(folder, path);
    if (!file) return Fail(file.error());
    files.push_back(std::move(*file));
  }
  return ParseCatalog(files);
}

}  // namespace schedlab::server
