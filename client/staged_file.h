#pragma once

#include <string>

#include "client/file_descriptor.h"
#include "core/result.h"

namespace schedlab::client {

// A file that takes the place of another, or comes to be, only once it is whole: until then it
// stands beside it under another name. Without a Publish() it is removed; so it is by a signal that
// ends the process (SIGHUP, SIGINT, SIGTERM). At most one exists at a time.
class StagedFile {
 public:
  StagedFile() = default;
  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&& other) noexcept;
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  ~StagedFile();

  // Whether what stands at `path` can be replaced: a regular file that may be written, or nothing.
  // Not a pipe or device, nor what is reached through /dev or /proc, as an open file is.
  static bool CanReplace(const std::string& path);

  // errno where it cannot be created. Requires: CanReplace(path).
  static tl::expected<StagedFile, int> Create(const std::string& path);

  bool is_open() const { return file_.is_open(); }
  int descriptor() const { return file_.get(); }
  // Returns 0, or the errno of why the file is not in its place.
  int Publish();

 private:
  std::string target_;
  std::string path_;  // empty: nothing to remove
  FileDescriptor file_;
};

}  // namespace schedlab::client
