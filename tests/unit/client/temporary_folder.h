#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace schedlab::client {

// A folder that everybody may enter, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/schedlab-test-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) path_ = name;
    chmod(path_.c_str(), 0755);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace schedlab::client
