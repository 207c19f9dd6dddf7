#include "server/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace schedlab::server {
namespace {

Result<ParsedCommandLine> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "schedlab-server");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data());
}

std::string ErrorOf(const Result<ParsedCommandLine>& parsed) {
  return parsed ? "no error" : parsed.error().message;
}

TEST(ConfigTest, OnlyTheDatabaseMustBeGivenAndTheRestIsLoopback) {
  const auto parsed = Parse({"--database", "dbname=x"});

  ASSERT_TRUE(parsed.has_value());
  ASSERT_TRUE(parsed->config.has_value());
  EXPECT_EQ(parsed->config->database, "dbname=x");
  EXPECT_EQ(parsed->config->grpc_address, (Address{"127.0.0.1", 7450}));
  EXPECT_EQ(parsed->config->http_address, (Address{"127.0.0.1", 8450}));
  EXPECT_TRUE(parsed->config->should_migrate);
  EXPECT_EQ(parsed->config->lease_ttl, kLeaseTtl);
}

TEST(ConfigTest, EveryFlagIsRead) {
  const auto parsed = Parse({"--database",
                             "dbname=x",
                             "--grpc-address",
                             "[::1]:0",
                             "--http-address",
                             "localhost:9",
                             "--pool-size",
                             "3",
                             "--lease-ttl-ms",
                             "1500",
                             "--aa-interval-s",
                             "0",
                             "--backfill-runs",
                             "7",
                             "--catalog",
                             "/c",
                             "--no-migrate",
                             "--log-level",
                             "warn",
                             "--ready-file",
                             "/r"});

  ASSERT_TRUE(parsed.has_value()) << ErrorOf(parsed);
  EXPECT_EQ(parsed->config->grpc_address, (Address{"::1", 0}));
  EXPECT_EQ(parsed->config->http_address, (Address{"localhost", 9}));
  EXPECT_EQ(parsed->config->pool_size, 3);
  EXPECT_EQ(parsed->config->lease_ttl, std::chrono::milliseconds{1500});
  EXPECT_EQ(parsed->config->aa_interval, std::chrono::seconds{0});
  EXPECT_EQ(parsed->config->backfill_runs, 7);
  EXPECT_EQ(parsed->config->catalog_dir, "/c");
  EXPECT_FALSE(parsed->config->should_migrate);
  EXPECT_EQ(parsed->config->log_level, LogLevel::kWarn);
  EXPECT_EQ(parsed->config->ready_file, "/r");
}

TEST(ConfigTest, TheEnvironmentIsReadAndAFlagWins) {
  setenv("SCHEDLAB_DATABASE", "dbname=environment", 1);
  setenv("SCHEDLAB_POOL_SIZE", "5", 1);
  const auto parsed = Parse({"--pool-size", "6"});
  unsetenv("SCHEDLAB_DATABASE");
  unsetenv("SCHEDLAB_POOL_SIZE");

  ASSERT_TRUE(parsed.has_value()) << ErrorOf(parsed);
  EXPECT_EQ(parsed->config->database, "dbname=environment");
  EXPECT_EQ(parsed->config->pool_size, 6);
}

TEST(ConfigTest, AMissingDatabaseIsRefusedWithAnExample) {
  const auto parsed = Parse({});

  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(parsed.error().message.find("--database"), std::string::npos);
}

TEST(ConfigTest, AMalformedAddressIsRefusedWithItsFlag) {
  const auto parsed = Parse({"--database", "dbname=x", "--grpc-address", "7450"});

  EXPECT_EQ(ErrorOf(parsed),
            "--grpc-address: '7450' is not host:port, e.g. 127.0.0.1:7450 or [::1]:7450");
}

TEST(ConfigTest, APoolSizeOutOfRangeIsRefused) {
  EXPECT_FALSE(Parse({"--database", "dbname=x", "--pool-size", "0"}).has_value());
  EXPECT_FALSE(Parse({"--database", "dbname=x", "--pool-size", "257"}).has_value());
}

TEST(ConfigTest, AnUnknownFlagIsRefused) {
  EXPECT_FALSE(Parse({"--database", "dbname=x", "--colour"}).has_value());
}

TEST(ConfigTest, AnUnknownLogLevelIsRefusedWithTheKnownOnes) {
  const auto parsed = Parse({"--database", "dbname=x", "--log-level", "loud"});

  EXPECT_EQ(ErrorOf(parsed), "--log-level: 'loud' is none of debug, info, warn, error");
}

TEST(ConfigTest, HelpIsATextAndNoError) {
  const auto parsed = Parse({"--help"});

  ASSERT_TRUE(parsed.has_value());
  EXPECT_FALSE(parsed->config.has_value());
  EXPECT_NE(parsed->text.find("--ready-file"), std::string::npos);
}

TEST(ConfigTest, TheVersionNamesTheEngine) {
  const auto parsed = Parse({"--version"});

  ASSERT_TRUE(parsed.has_value());
  EXPECT_NE(parsed->text.find("engine"), std::string::npos);
}

TEST(AddressTest, OnlyAddressesOfThisMachineAreLoopback) {
  EXPECT_TRUE(IsLoopback({"127.0.0.1", 1}));
  EXPECT_TRUE(IsLoopback({"::1", 1}));
  EXPECT_TRUE(IsLoopback({"localhost", 1}));
  EXPECT_FALSE(IsLoopback({"0.0.0.0", 1}));
  EXPECT_FALSE(IsLoopback({"::", 1}));
}

TEST(AddressTest, AnAddressOfVersionSixIsWrittenInBrackets) {
  EXPECT_EQ(ToString(Address{"::1", 80}), "[::1]:80");
  EXPECT_EQ(ToString(Address{"127.0.0.1", 80}), "127.0.0.1:80");
}

TEST(AddressTest, WhatIsNoAddressIsRefused) {
  EXPECT_FALSE(ParseAddress("").has_value());
  EXPECT_FALSE(ParseAddress(":80").has_value());
  EXPECT_FALSE(ParseAddress("host:").has_value());
  EXPECT_FALSE(ParseAddress("host:port").has_value());
  EXPECT_FALSE(ParseAddress("host:70000").has_value());
  EXPECT_FALSE(ParseAddress("::1:80").has_value());
  EXPECT_FALSE(ParseAddress("[]:80").has_value());
}

}  // namespace
}  // namespace schedlab::server
