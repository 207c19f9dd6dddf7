#pragma once

#include <string>
#include <string_view>

#include "client/file_descriptor.h"
#include "client/staged_file.h"
#include "core/result.h"

namespace schedlab::client {

// A file that is written from its beginning to its end, or stdout where its path is "-". The first
// write that fails is remembered, and what follows is not written. A regular file is there whole
// after Finish(), or as it was before: an earlier one is kept until then. What cannot be replaced,
// a pipe or a device, or a file in a folder that one may not write, is written in place.
class OutputFile {
 public:
  // kUnavailable: it cannot be created.
  static Result<OutputFile> Create(const std::string& path);

  void Write(std::string_view bytes);
  // kUnavailable: not everything is written. To be called once, after the last Write().
  Status Finish();
  std::size_t byte_count() const { return byte_count_; }

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  Error Unwritable(int error) const;
  // Returns 0 or errno.
  int Open();

  std::string path_;
  StagedFile staged_;
  FileDescriptor in_place_;  // neither is open: stdout
  std::size_t byte_count_ = 0;
  int first_error_ = 0;
};

}  // namespace schedlab::client
