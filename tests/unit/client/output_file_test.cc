#include "client/output_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "client/text_file.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

// 1 where the file could not be written.
int FinishCode(const std::string& path, std::string_view text) {
  Result<OutputFile> file = OutputFile::Create(path);
  file->Write(text);
  return file->Finish() ? 0 : 1;
}

// What the limit leaves room for is written.
int FinishCodeOnFullDisk(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit few_bytes{.rlim_cur = 4, .rlim_max = 4};
  setrlimit(RLIMIT_FSIZE, &few_bytes);
  return FinishCode(path, "more than four bytes");
}

void WriteWhole(const std::string& path, std::string_view text) {
  ASSERT_EQ(FinishCode(path, text), 0);
}

std::ptrdiff_t CountOfFiles(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

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

TEST(OutputFileTest, AnEarlierFileIsReplacedWhenTheNewOneIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  WriteWhole(path, "a longer text");
  Result<OutputFile> file = OutputFile::Create(path);

  file->Write("short");
  const std::string before = ReadTextFile(path).value();
  const Status written = file->Finish();

  EXPECT_TRUE(written);
  EXPECT_EQ(before, "a longer text");
  EXPECT_EQ(ReadTextFile(path).value(), "short");
  EXPECT_EQ(CountOfFiles(folder.path()), 1);
}

TEST(OutputFileTest, WhatIsNotFinishedLeavesTheEarlierFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  WriteWhole(path, "earlier");

  OutputFile::Create(path).value().Write("half of");

  EXPECT_EQ(ReadTextFile(path).value(), "earlier");
  EXPECT_EQ(CountOfFiles(folder.path()), 1);
}

TEST(OutputFileTest, WhatIsNotFinishedLeavesNoNewFile) {
  const TemporaryFolder folder;

  OutputFile::Create(folder.path() + "/trace").value().Write("half of");

  EXPECT_EQ(CountOfFiles(folder.path()), 0);
}

TEST(OutputFileTest, AReplacedFileKeepsItsPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  WriteWhole(path, "earlier");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);

  WriteWhole(path, "later");

  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
}

TEST(OutputFileTest, ALinkStaysOneAndItsFileIsReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  const std::string link = folder.path() + "/link";
  WriteWhole(path, "earlier");
  std::filesystem::create_symlink(path, link);

  WriteWhole(link, "later");

  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ReadTextFile(path).value(), "later");
}

TEST(OutputFileTest, ASignalThatEndsTheProcessRemovesWhatIsUnfinished) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  WriteWhole(path, "earlier");

  EXPECT_EXIT(
      {
        Result<OutputFile> file = OutputFile::Create(path);
        file->Write("half of");
        raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");

  EXPECT_EQ(ReadTextFile(path).value(), "earlier");
  EXPECT_EQ(CountOfFiles(folder.path()), 1);
}

TEST(OutputFileTest, AFullDiskLeavesTheEarlierFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/trace";
  WriteWhole(path, "earlier");

  EXPECT_EXIT(std::exit(FinishCodeOnFullDisk(path)), testing::ExitedWithCode(1), "");

  EXPECT_EQ(ReadTextFile(path).value(), "earlier");
  EXPECT_EQ(CountOfFiles(folder.path()), 1);
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
