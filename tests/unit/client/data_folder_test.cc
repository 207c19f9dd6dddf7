#include "client/data_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "client/text_file.h"
#include "tests/unit/client/temporary_folder.h"

namespace schedlab::client {
namespace {

TEST(DataFolderTest, ANewFolderIsPrivateAndHasAPassword) {
  const TemporaryFolder temporary;

  const Result<DataFolder> folder = DataFolder::Open(temporary.path() + "/a/b");

  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_TRUE(folder->is_new());
  struct stat status {};
  ASSERT_EQ(stat(folder->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(folder->Password().value().size(), 48U);
}

TEST(DataFolderTest, ASecondOpeningFindsTheSamePassword) {
  const TemporaryFolder temporary;
  std::string password;
  {
    const Result<DataFolder> first = DataFolder::Open(temporary.path());
    password = first->Password().value();
  }

  const Result<DataFolder> second = DataFolder::Open(temporary.path());

  ASSERT_TRUE(second) << second.error().message;
  EXPECT_FALSE(second->is_new());
  EXPECT_EQ(second->Password().value(), password);
}

TEST(DataFolderTest, OneProcessAtATimeHoldsIt) {
  const TemporaryFolder temporary;
  const Result<DataFolder> first = DataFolder::Open(temporary.path());

  const Result<DataFolder> second = DataFolder::Open(temporary.path());

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(second.error().message.find(std::to_string(getpid())), std::string::npos);
}

TEST(DataFolderTest, AFolderOfSomethingElseIsLeftAlone) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() + "/precious") << "text";

  const Result<DataFolder> folder = DataFolder::Open(temporary.path());

  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("not empty"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(temporary.path() + "/lock"));
  EXPECT_FALSE(std::filesystem::exists(temporary.path() + "/version"));
}

TEST(DataFolderTest, AnInterruptedFirstStartIsBegunAnew) {
  const TemporaryFolder temporary;
  for (const char* name : {"lock", "password", "password.new", "version.new"}) {
    std::ofstream(temporary.path() + "/" + name) << "half";
  }

  const Result<DataFolder> folder = DataFolder::Open(temporary.path());

  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_TRUE(folder->is_new());
  EXPECT_EQ(folder->Password().value().size(), 48U);
}

TEST(DataFolderTest, TheLockFileOfSomethingElseIsLeftAlone) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() + "/lock") << "of another program";
  std::ofstream(temporary.path() + "/precious") << "text";

  EXPECT_FALSE(DataFolder::Open(temporary.path()));

  EXPECT_EQ(ReadTextFile(temporary.path() + "/lock").value(), "of another program");
}

TEST(DataFolderTest, APathThatCannotExistIsAnErrorAndNoException) {
  EXPECT_FALSE(DataFolder::Open("/tmp/" + std::string(5000, 'a')));
  EXPECT_FALSE(DataFolder::Open("/dev/null/below"));
}

TEST(DataFolderTest, AFolderOfAnotherVersionIsRefused) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() + "/version") << "schedlab data folder 99\n";

  const Result<DataFolder> folder = DataFolder::Open(temporary.path());

  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("schedlab data folder 99"), std::string::npos);
}

TEST(DataFolderTest, AFileIsNoFolder) {
  const TemporaryFolder temporary;
  std::ofstream(temporary.path() + "/file") << "text";

  const Result<DataFolder> folder = DataFolder::Open(temporary.path() + "/file");

  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a file"), std::string::npos);
}

}  // namespace
}  // namespace schedlab::client
