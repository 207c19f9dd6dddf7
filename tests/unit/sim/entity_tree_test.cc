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

TEST(EntityTreeTest, AHundredThousandEntitiesInOrderAreAtMostSixNodesDeep) {
  std::deque<FairEntity> entities(100'000);
  EntityTree tree;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    tree.Insert(entities[i], static_cast<std::int64_t>(i));
  }

  EXPECT_LE(tree.height(), 6);
}

TEST(EntityTreeTest, AnEmptiedTreeTakesEntitiesAgain) {
  std::deque<FairEntity> entities(1'000);
  EntityTree tree;
  for (int round = 0; round < 2; ++round) {
    for (FairEntity& entity : entities) tree.Insert(entity, round);
    for (FairEntity& entity : entities) tree.Remove(entity);
  }
  tree.Insert(entities.front(), 1);

  EXPECT_EQ(InOrder(tree), (std::vector<const FairEntity*>{&entities.front()}));
  EXPECT_EQ(tree.height(), 1);
}

// 20,000 random insertions and removals against a sorted list that does the same, of few and of
// many keys, so that nodes run empty and equal keys span nodes.
class EntityTreeRandomTest : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(EntityTreeRandomTest, InsertionsAndRemovalsKeepTheOrderAndTheLeastVruntimes) {
  RandomStream random(1, "entity tree");
  std::deque<FairEntity> entities(300);
  std::vector<FairEntity*> expected;
  EntityTree tree;
  bool is_same = true;
  bool is_least_right = true;
  bool is_search_right = true;
  for (int step = 0; step < 20'000; ++step) {
    FairEntity& entity = entities[static_cast<std::size_t>(random.Below(300))];
    const auto found = std::find(expected.begin(), expected.end(), &entity);
    if (found != expected.end()) {
      tree.Remove(entity);
      expected.erase(found);
    } else {
      entity.vruntime = random.Below(1'000);
      const std::int64_t key = random.Below(GetParam());
      tree.Insert(entity, key);
      const auto behind = [](std::int64_t k, const FairEntity* e) { return k < e->tree_key; };
      expected.insert(std::upper_bound(expected.begin(), expected.end(), key, behind), &entity);
    }
    is_same = is_same && tree.size() == static_cast<std::int32_t>(expected.size());
    is_same = is_same && tree.first() == (expected.empty() ? nullptr : expected.front());
    if (step % 7 != 0 || expected.empty()) continue;
    const std::vector<const FairEntity*> wanted(expected.begin(), expected.end());
    is_same = is_same && InOrder(tree) == wanted;
    const auto is_less = [](const FairEntity* a, const FairEntity* b) {
      return a->vruntime < b->vruntime;
    };
    const std::int64_t least =
        (*std::min_element(expected.begin(), expected.end(), is_less))->vruntime;
    is_least_right = is_least_right && tree.least_vruntime() == least;
    const std::int64_t limit = random.Below(200);
    const auto suits = [limit](std::int64_t vruntime) { return vruntime <= limit; };
    const auto first = std::find_if(expected.begin(), expected.end(),
                                    [&](const FairEntity* e) { return suits(e->vruntime); });
    is_search_right =
        is_search_right && tree.FirstWith(suits) == (first == expected.end() ? nullptr : *first);
  }

  EXPECT_TRUE(is_same);
  EXPECT_TRUE(is_least_right);
  EXPECT_TRUE(is_search_right);
}
INSTANTIATE_TEST_SUITE_P(Keys, EntityTreeRandomTest, ::testing::Values(1, 3, 50, 100'000));

}  // namespace
}  // namespace schedlab::sim::fair
