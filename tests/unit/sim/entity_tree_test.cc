#include "sim/fair/entity_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "sim/random_stream.h"

namespace schedlab::sim::fair {
namespace {

std::vector<const FairEntity*> InOrder(const EntityTree& tree) {
  std::vector<const FairEntity*> order;
  for (FairEntity* each = tree.first(); each != nullptr; each = EntityTree::Next(*each)) {
    order.push_back(each);
  }
  return order;
}

int DepthBelow(const FairEntity* node) {
  if (node == nullptr) return 0;
  return 1 + std::max(DepthBelow(node->tree_left), DepthBelow(node->tree_right));
}

std::int64_t LeastBelow(const FairEntity* node, bool& is_right) {
  std::int64_t least = node->vruntime;
  if (node->tree_left != nullptr) least = std::min(least, LeastBelow(node->tree_left, is_right));
  if (node->tree_right != nullptr) least = std::min(least, LeastBelow(node->tree_right, is_right));
  is_right = is_right && node->subtree_vruntime == least;
  return least;
}

TEST(EntityTreeTest, TheLeastKeyIsFirst) {
  FairEntity early;
  FairEntity late;
  EntityTree tree;
  tree.Insert(late, 20);
  tree.Insert(early, -10);

  EXPECT_EQ(tree.first(), &early);
  EXPECT_EQ(EntityTree::Next(early), &late);
  EXPECT_EQ(EntityTree::Next(late), nullptr);
}

TEST(EntityTreeTest, EqualKeysAreFirstInFirstOut) {
  std::deque<FairEntity> entities(100);
  EntityTree tree;
  std::vector<const FairEntity*> inserted;
  for (FairEntity& entity : entities) {
    tree.Insert(entity, 5);
    inserted.push_back(&entity);
  }

  EXPECT_EQ(InOrder(tree), inserted);
}

TEST(EntityTreeTest, RemovalTakesTheRightOneOfEqualEntities) {
  FairEntity first;
  FairEntity second;
  EntityTree tree;
  tree.Insert(first, 5);
  tree.Insert(second, 5);
  tree.Remove(first);

  EXPECT_EQ(InOrder(tree), (std::vector<const FairEntity*>{&second}));
}

TEST(EntityTreeTest, SortedInsertionsDoNotMakeItDeep) {
  std::deque<FairEntity> entities(100'000);
  EntityTree tree;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    tree.Insert(entities[i], static_cast<std::int64_t>(i));
  }

  EXPECT_LE(DepthBelow(tree.root()), 60);
}

// 20,000 random insertions and removals against a sorted list that does the same.
TEST(EntityTreeTest, RandomInsertionsAndRemovalsKeepTheOrderAndTheLeastVruntimes) {
  RandomStream random(1, "entity tree");
  std::deque<FairEntity> entities(300);
  std::vector<FairEntity*> expected;
  EntityTree tree;
  bool is_same = true;
  bool is_least_right = true;
  for (int step = 0; step < 20'000; ++step) {
    FairEntity& entity = entities[static_cast<std::size_t>(random.Below(300))];
    const auto found = std::find(expected.begin(), expected.end(), &entity);
    if (found != expected.end()) {
      tree.Remove(entity);
      expected.erase(found);
    } else {
      entity.vruntime = random.Below(1'000);
      const std::int64_t key = random.Below(50);
      tree.Insert(entity, key);
      const auto behind = [](std::int64_t k, const FairEntity* e) { return k < e->tree_key; };
      expected.insert(std::upper_bound(expected.begin(), expected.end(), key, behind), &entity);
    }
    const std::vector<const FairEntity*> wanted(expected.begin(), expected.end());
    if (step % 50 == 0) is_same = is_same && InOrder(tree) == wanted;
    if (step % 50 == 0 && !tree.empty()) LeastBelow(tree.root(), is_least_right);
    is_same = is_same && tree.size() == static_cast<std::int32_t>(expected.size());
    is_same = is_same && tree.first() == (expected.empty() ? nullptr : expected.front());
  }

  EXPECT_TRUE(is_same);
  EXPECT_TRUE(is_least_right);
}

}  // namespace
}  // namespace schedlab::sim::fair
