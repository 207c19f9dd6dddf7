#include "client/output_file.h"

#include <gtest/gtest.h>

#include "client/text_file.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

TEST(OutputFileTest, WhatIsWrittenIsInTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  Result<OutputFile> file = OutputFile::Create(path);
  ASSERT_TRUE(file);

  file->Write("one ");
  file->Write("two");
  const Status written = file->Finish();

  EXPECT_TRUE(written);
  EXPECT_EQ(file->byte_count(), 7U);
  EXPECT_EQ(ReadTextFile(path).value(), "one two");
}

TEST(OutputFileTest, AnEarlierFileIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  OutputFile::Create(path).value().Write("a longer text");

  OutputFile::Create(path).value().Write("short");

  EXPECT_EQ(ReadTextFile(path).value(), "short");
}

TEST(OutputFileTest, AFileThatCannotBeCreatedIsNamed) {
  const Result<OutputFile> file = OutputFile::Create("/nonexistent/trace");

  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(file.error().message.find("/nonexistent/trace"), std::string::npos);
}

TEST(OutputFileTest, AFullDeviceIsToldAtTheEnd) {
  Result<OutputFile> file = OutputFile::Create("/dev/full");
  ASSERT_TRUE(file);

  file->Write("one");
  file->Write("two");
  const Status written = file->Finish();

  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("cannot write /dev/full"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::client
