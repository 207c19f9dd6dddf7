#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace schedlab::client {

// Whether `text` is what tests/unit/client/golden/<name> holds. With SCHEDLAB_REWRITE_GOLDEN in the
// environment the file is written instead: read the difference before it is committed.
inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(SCHEDLAB_SOURCE_DIR) + "/tests/unit/client/golden/" + name;
  if (std::getenv("SCHEDLAB_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path;
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << name;
}

}  // namespace schedlab::client
