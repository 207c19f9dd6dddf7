#include "server/job_content.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace schedlab::testing {
namespace {

TEST(ContentDigestTest, TheSameContentHasTheSameDigest) {
  const server::NewJob first = MakeJob({.request_id = "a"});
  const server::NewJob second = MakeJob({.request_id = "b"});

  EXPECT_EQ(server::ContentDigest(first.spec, first.expanded),
            server::ContentDigest(second.spec, second.expanded));
}

TEST(ContentDigestTest, WhatTheNamesStandForBelongsToTheContent) {
  const server::NewJob job = MakeJob({});
  ExpandedJob other_run = job.expanded;
  other_run.runs.at(0).key = "of other switches";
  ExpandedJob other_engine = job.expanded;
  other_engine.engine_version = "2";

  const std::string digest = server::ContentDigest(job.spec, job.expanded);

  EXPECT_NE(server::ContentDigest(job.spec, other_run), digest);
  EXPECT_NE(server::ContentDigest(job.spec, other_engine), digest);
}

}  // namespace
}  // namespace schedlab::testing
