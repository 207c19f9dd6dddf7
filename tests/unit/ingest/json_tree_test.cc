#include "ingest/json_tree.h"

#include <gtest/gtest.h>

namespace schedlab::ingest {
namespace {

TEST(JsonTreeTest, MembersOfOneNameKeepTheirOrder) {
  const JsonTree tree = ParseJsonTree(R"({"run": 1, "sleep": 2, "run": 3})").value();

  ASSERT_EQ(tree.members.size(), 3U);
  EXPECT_EQ(tree.members[0].first, "run");
  EXPECT_EQ(tree.members[2].first, "run");
  EXPECT_EQ(tree.members[2].second.integer, 3);
}

TEST(JsonTreeTest, ValuesOfEveryKindAreRead) {
  const JsonTree tree = ParseJsonTree(R"([null, true, -7, 1.5, "s", {"k": []}])").value();

  EXPECT_EQ(tree.items[0].kind, JsonTree::Kind::kNull);
  EXPECT_TRUE(tree.items[1].boolean);
  EXPECT_EQ(tree.items[2].integer, -7);
  EXPECT_EQ(tree.items[3].number, 1.5);
  EXPECT_EQ(tree.items[4].text, "s");
  EXPECT_EQ(tree.items[5].members[0].second.kind, JsonTree::Kind::kArray);
}

TEST(JsonTreeTest, CommentsAreNoText) {
  const JsonTree tree = ParseJsonTree("/* a, } */ {\"a\": 1 // , \"b\"\n /* \" */}").value();

  ASSERT_EQ(tree.members.size(), 1U);
  EXPECT_EQ(tree.members[0].second.integer, 1);
}

TEST(JsonTreeTest, WhatLooksLikeACommentInAStringIsText) {
  EXPECT_EQ(ParseJsonTree(R"(["a // b", "/* c */", "d \" // e"])")->items[2].text, "d \" // e");
}

TEST(JsonTreeTest, ACommaAfterTheLastMemberIsAccepted) {
  const JsonTree tree = ParseJsonTree("{\"a\": [1, 2,], \"b\": {}, /* end */ }").value();

  EXPECT_EQ(tree.members.size(), 2U);
  EXPECT_EQ(tree.members[0].second.items.size(), 2U);
}

TEST(JsonTreeTest, AMemberThatIsOnlyANameIsNull) {
  const JsonTree tree = ParseJsonTree("{\"suspend\", \"a\": \"x\", \"yield\" /* c */ }").value();

  ASSERT_EQ(tree.members.size(), 3U);
  EXPECT_EQ(tree.members[0].second.kind, JsonTree::Kind::kNull);
  EXPECT_EQ(tree.members[1].second.text, "x");
  EXPECT_EQ(tree.members[2].first, "yield");
}

TEST(JsonTreeTest, WhatIsNoJsonIsRefusedWithItsLine) {
  EXPECT_EQ(ParseJsonTree("{\n\"a\": }").error().message,
            "it is not JSON: line 2, column 6: syntax error while parsing value - unexpected '}'; "
            "expected '[', '{', or a literal");
  EXPECT_FALSE(ParseJsonTree(""));
  EXPECT_FALSE(ParseJsonTree("{\"a\": 1"));
  EXPECT_FALSE(ParseJsonTree("{} {}"));
  EXPECT_FALSE(ParseJsonTree("{\"a\": \"\xff\"}"));
  EXPECT_FALSE(ParseJsonTree("{\"a\": 1 /* no end"));
  EXPECT_FALSE(ParseJsonTree("\"\\"));
}

TEST(JsonTreeTest, NestingHasALimit) {
  const std::string deep = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');

  EXPECT_TRUE(ParseJsonTree(deep));
  EXPECT_EQ(ParseJsonTree("[" + deep + "]").error().message,
            "it is not JSON: it nests deeper than 16 levels");
}

}  // namespace
}  // namespace schedlab::ingest
