#pragma once

#include <string>
#include <string_view>

#include "client/file_descriptor.h"
#include "core/result.h"

namespace schedlab::client {

// A file that is written from its beginning to its end, or stdout where its path is "-". The first
// write that fails is remembered, and what follows is not written.
class OutputFile {
 public:
  // kUnavailable: it cannot be created. An earlier file of that path is lost.
  static Result<OutputFile> Create(const std::string& path);

  void Write(std::string_view bytes);
  // kUnavailable: not everything is written. To be called once, after the last Write().
  Status Finish();
  std::size_t byte_count() const { return byte_count_; }

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  Error Unwritable(int error) const;

  std::string path_;
  FileDescriptor file_;  // not open: stdout
  std::size_t byte_count_ = 0;
  int first_error_ = 0;
};

}  // namespace schedlab::client
