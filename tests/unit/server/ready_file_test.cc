#include "server/ready_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace schedlab::server {
namespace {

const ReadyNote kNote{
    .grpc_address = {"127.0.0.1", 7450}, .http_address = {"::1", 8450}, .process_id = 42};

TEST(ReadyFileTest, TheNoteIsJson) {
  EXPECT_EQ(ToJson(kNote),
            R"({"grpc_address":"127.0.0.1:7450","http_address":"[::1]:8450","process_id":42})");
}

TEST(ReadyFileTest, TheFileHasTheNoteAndNoTemporaryIsLeft) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "schedlab_ready_file_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);

  const Status written = WriteReadyFile((folder / "ready.json").string(), kNote);

  ASSERT_TRUE(written.has_value());
  std::string line;
  std::ifstream(folder / "ready.json") >> line;
  EXPECT_EQ(line, ToJson(kNote));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(ReadyFileTest, AFolderThatIsMissingIsAnError) {
  const Status written = WriteReadyFile("/no/such/folder/ready.json", kNote);

  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace schedlab::server
