#include "client/text_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "client/file_descriptor.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

TEST(ReadTextFileTest, ARegularFileIsReadWhole) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/text") << "one\ntwo\n";

  EXPECT_EQ(ReadTextFile(folder.path() + "/text").value(), "one\ntwo\n");
  EXPECT_EQ(ReadTextFile(folder.path() + "/text", 8).value(), "one\ntwo\n");
}

TEST(ReadTextFileTest, AFileBeyondTheLimitIsRefused) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/text") << "one\ntwo\n";

  const Result<std::string> text = ReadTextFile(folder.path() + "/text", 7);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(text.error().message.find("more than 7 bytes"), std::string::npos);
}

TEST(ReadTextFileTest, NoFileIsNotFound) {
  const Result<std::string> text = ReadTextFile("/nonexistent/text");

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kNotFound);
  EXPECT_NE(text.error().message.find("/nonexistent/text"), std::string::npos);
}

TEST(ReadTextFileTest, FoldersAndDevicesAreRefused) {
  for (const char* path : {"/", "/dev/zero", "/dev/null"}) {
    const Result<std::string> text = ReadTextFile(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, ErrorCode::kInvalidArgument) << path;
  }
}

TEST(ReadOpenFileTest, APipeIsReadToItsEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  ASSERT_EQ(write(writer.get(), "1\n2\n", 4), 4);
  writer.Close();

  EXPECT_EQ(ReadOpenFile(reader.get(), "stdin", 100).value(), "1\n2\n");
}

TEST(ReadOpenFileTest, WhatHasNoEndIsReadToTheLimitOnly) {
  const FileDescriptor zeros(open("/dev/zero", O_RDONLY | O_CLOEXEC));

  const Result<std::string> text = ReadOpenFile(zeros.get(), "stdin", 100'000);

  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "cannot read stdin: it has more than 100000 bytes");
}

}  // namespace
}  // namespace schedlab::client
