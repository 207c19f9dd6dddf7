#include "sim/fair/entity_tree.h"

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim::fair {
namespace {

// The finaliser of SplitMix64: spreads consecutive numbers evenly.
std::uint64_t RankOf(std::uint64_t number) {
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

void UpdateLeast(FairEntity& node) {
  std::int64_t least = node.vruntime;
  if (node.tree_left != nullptr) least = std::min(least, node.tree_left->subtree_vruntime);
  if (node.tree_right != nullptr) least = std::min(least, node.tree_right->subtree_vruntime);
  node.subtree_vruntime = least;
}

void LinkLeft(FairEntity& node, FairEntity* child) {
  node.tree_left = child;
  if (child != nullptr) child->tree_up = &node;
}

void LinkRight(FairEntity& node, FairEntity* child) {
  node.tree_right = child;
  if (child != nullptr) child->tree_up = &node;
}

struct Halves {
  FairEntity* up_to = nullptr;
  FairEntity* beyond = nullptr;
};

// The nodes of `node` whose keys are up to `key`, and the others.
Halves Split(FairEntity* node, std::int64_t key) {
  if (node == nullptr) return {};
  Halves halves;
  if (node->tree_key <= key) {
    const Halves below = Split(node->tree_right, key);
    LinkRight(*node, below.up_to);
    halves = {node, below.beyond};
  } else {
    const Halves below = Split(node->tree_left, key);
    LinkLeft(*node, below.beyond);
    halves = {below.up_to, node};
  }
  UpdateLeast(*node);
  return halves;
}

FairEntity* Merge(FairEntity* a, FairEntity* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  if (a->tree_rank >= b->tree_rank) {
    LinkRight(*a, Merge(a->tree_right, b));
    UpdateLeast(*a);
    return a;
  }
  LinkLeft(*b, Merge(a, b->tree_left));
  UpdateLeast(*b);
  return b;
}

}  // namespace

void EntityTree::Insert(FairEntity& entity, std::int64_t key) {
  entity.tree_key = key;
  entity.tree_rank = RankOf(++insertion_count_);
  FairEntity* above = nullptr;
  FairEntity** link = &root_;
  while (*link != nullptr && (*link)->tree_rank >= entity.tree_rank) {
    above = *link;
    above->subtree_vruntime = std::min(above->subtree_vruntime, entity.vruntime);
    link = key < above->tree_key ? &above->tree_left : &above->tree_right;
  }
  const Halves halves = Split(*link, key);
  *link = &entity;
  entity.tree_up = above;
  LinkLeft(entity, halves.up_to);
  LinkRight(entity, halves.beyond);
  UpdateLeast(entity);
  if (first_ == nullptr || key < first_->tree_key) first_ = &entity;
  ++size_;
}

void EntityTree::Remove(FairEntity& entity) {
  SCHEDLAB_CHECK(size_ > 0);
  if (first_ == &entity) first_ = Next(entity);
  FairEntity* const rest = Merge(entity.tree_left, entity.tree_right);
  FairEntity* const above = entity.tree_up;
  if (rest != nullptr) rest->tree_up = above;
  if (above == nullptr) {
    SCHEDLAB_CHECK(root_ == &entity);
    root_ = rest;
  } else {
    (above->tree_left == &entity ? above->tree_left : above->tree_right) = rest;
  }
  // Where the least of a node stays, so do those above it.
  for (FairEntity* node = above; node != nullptr; node = node->tree_up) {
    const std::int64_t before = node->subtree_vruntime;
    UpdateLeast(*node);
    if (node->subtree_vruntime == before) break;
  }
  entity.tree_up = nullptr;
  entity.tree_left = nullptr;
  entity.tree_right = nullptr;
  --size_;
}

FairEntity* EntityTree::Next(const FairEntity& entity) {
  if (entity.tree_right != nullptr) {
    FairEntity* node = entity.tree_right;
    while (node->tree_left != nullptr) node = node->tree_left;
    return node;
  }
  const FairEntity* node = &entity;
  while (node->tree_up != nullptr && node->tree_up->tree_right == node) node = node->tree_up;
  return node->tree_up;
}

}  // namespace schedlab::sim::fair
