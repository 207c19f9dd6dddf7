#include <gtest/gtest.h>

#include "core/catalog.h"
#include "core/expansion.h"
#include "tests/unit/core/sample_catalog.h"

namespace schedlab {
namespace {

class RevisionsTest : public ::testing::Test {
 protected:
  Catalog catalog_ = testing::SampleCatalog();
  const PolicyDefinition& policy_ = *catalog_.FindPolicy("fair").value();
};

TEST_F(RevisionsTest, AreFoundByAliasAndByPrefix) {
  EXPECT_EQ((*FindRevision(policy_, "v2"))->subject, "third");
  EXPECT_EQ((*FindRevision(policy_, "1111111"))->subject, "first");
}

TEST_F(RevisionsTest, AReferenceLongerThanAKnownPrefixIsFound) {
  EXPECT_EQ((*FindRevision(policy_, "1111111aaaa0123456789"))->subject, "first");
}

TEST_F(RevisionsTest, AnAmbiguousPrefixIsRefused) {
  EXPECT_EQ(FindRevision(policy_, "2222222").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RevisionsTest, AShortPrefixIsNotFound) {
  EXPECT_EQ(FindRevision(policy_, "1111").error().code, ErrorCode::kNotFound);
}

TEST_F(RevisionsTest, ATildeIsTheParent) {
  EXPECT_EQ((*FindRevision(policy_, "v2~"))->subject, "second");
  EXPECT_EQ((*FindRevision(policy_, "v2~~"))->subject, "first");
}

TEST_F(RevisionsTest, TheFirstRevisionHasNoParent) {
  EXPECT_EQ(FindRevision(policy_, "v1~").error().message,
            "the history of policy 'fair' begins with 1111111aaaa: there is no revision 'v1~'");
}

TEST_F(RevisionsTest, ARangeHoldsBothEnds) {
  EXPECT_EQ(ResolveRevisions(policy_, "v1..v2")->size(), 3U);
  EXPECT_EQ(ResolveRevisions(policy_, "v2~..v2")->size(), 2U);
  EXPECT_EQ(ResolveRevisions(policy_, "v2")->size(), 1U);
}

TEST_F(RevisionsTest, ARangeThatRunsBackwardsIsRefused) {
  EXPECT_EQ(ResolveRevisions(policy_, "v2..v1").error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RevisionsTest, APolicyWithAHistoryNeedsRevisions) {
  EXPECT_EQ(ResolveRevisions(policy_, "").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace schedlab
