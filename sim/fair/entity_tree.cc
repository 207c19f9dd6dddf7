#include "sim/fair/entity_tree.h"

#include <algorithm>

#include "core/check.h"

namespace schedlab::sim::fair {
namespace {

using Item = EntityNode::Item;

std::size_t At(std::int32_t place) { return static_cast<std::size_t>(place); }

// How many keys of `node` are up to `key`.
std::int32_t CountUpTo(const EntityNode& node, std::int64_t key) {
  std::int32_t count = 0;
  for (std::int32_t i = 0; i < node.count; ++i) count += node.keys[At(i)] <= key ? 1 : 0;
  return count;
}

std::int64_t LeastOf(const EntityNode& node) {
  return *std::min_element(node.leasts.begin(), node.leasts.begin() + node.count);
}

std::int32_t PlaceOf(const EntityNode& leaf, const FairEntity& entity) {
  std::int32_t place = 0;
  while (place < leaf.count && leaf.items[At(place)].entity != &entity) ++place;
  SCHEDLAB_CHECK(place < leaf.count);
  return place;
}

// What `node` holds at `place` knows where it is.
void Tell(EntityNode& node, std::int32_t place) {
  if (node.is_leaf) {
    node.items[At(place)].entity->tree_leaf = &node;
  } else {
    node.items[At(place)].node->up = &node;
    node.items[At(place)].node->place = place;
  }
}

void TellFrom(EntityNode& node, std::int32_t place) {
  for (; place < node.count; ++place) Tell(node, place);
}

void Open(EntityNode& node, std::int32_t place, std::int64_t key, std::int64_t least, Item item) {
  for (std::int32_t i = node.count; i > place; --i) {
    node.keys[At(i)] = node.keys[At(i - 1)];
    node.leasts[At(i)] = node.leasts[At(i - 1)];
    node.items[At(i)] = node.items[At(i - 1)];
  }
  node.keys[At(place)] = key;
  node.leasts[At(place)] = least;
  node.items[At(place)] = item;
  ++node.count;
}

void Close(EntityNode& node, std::int32_t place) {
  --node.count;
  for (std::int32_t i = place; i < node.count; ++i) {
    node.keys[At(i)] = node.keys[At(i + 1)];
    node.leasts[At(i)] = node.leasts[At(i + 1)];
    node.items[At(i)] = node.items[At(i + 1)];
  }
}

// Where the least of a node stays, so do those above it.
void PassLeastUp(const EntityNode& from) {
  for (const EntityNode* node = &from; node->up != nullptr; node = node->up) {
    std::int64_t& known = node->up->leasts[At(node->place)];
    const std::int64_t least = LeastOf(*node);
    if (known == least) return;
    known = least;
  }
}

// `right` gets the upper half of `left`.
void MoveHalf(EntityNode& left, EntityNode& right) {
  constexpr std::int32_t kHalf = EntityNode::kSize / 2;
  std::copy(left.keys.begin() + kHalf, left.keys.end(), right.keys.begin());
  std::copy(left.leasts.begin() + kHalf, left.leasts.end(), right.leasts.begin());
  std::copy(left.items.begin() + kHalf, left.items.end(), right.items.begin());
  left.count = kHalf;
  right.count = EntityNode::kSize - kHalf;
  TellFrom(right, 0);
}

void LinkBehind(EntityNode& left, EntityNode& right) {
  right.previous = &left;
  right.next = left.next;
  if (right.next != nullptr) right.next->previous = &right;
  left.next = &right;
}

void Unlink(EntityNode& leaf) {
  if (leaf.previous != nullptr) leaf.previous->next = leaf.next;
  if (leaf.next != nullptr) leaf.next->previous = leaf.previous;
}

}  // namespace

void EntityTree::Insert(FairEntity& entity, std::int64_t key) {
  entity.tree_key = key;
  if (root_ == nullptr) root_ = NewNode(true);
  if (root_->count == EntityNode::kSize) GrowRoot();
  EntityNode* node = root_;
  while (!node->is_leaf) {
    std::int32_t place = std::max(0, CountUpTo(*node, key) - 1);
    if (node->items[At(place)].node->count == EntityNode::kSize) {
      SplitChild(*node, place);
      if (node->keys[At(place + 1)] <= key) ++place;
    }
    node->keys[At(place)] = std::min(node->keys[At(place)], key);
    node->leasts[At(place)] = std::min(node->leasts[At(place)], entity.vruntime);
    node = node->items[At(place)].node;
  }
  Open(*node, CountUpTo(*node, key), key, entity.vruntime, {.entity = &entity});
  entity.tree_leaf = node;
  least_ = size_ == 0 ? entity.vruntime : std::min(least_, entity.vruntime);
  if (first_ == nullptr || key < first_->tree_key) first_ = &entity;
  ++size_;
}

void EntityTree::Remove(FairEntity& entity) {
  SCHEDLAB_CHECK(size_ > 0 && entity.tree_leaf != nullptr);
  if (first_ == &entity) first_ = Next(entity);
  EntityNode& leaf = *entity.tree_leaf;
  Close(leaf, PlaceOf(leaf, entity));
  entity.tree_leaf = nullptr;
  --size_;
  if (leaf.count == 0 && &leaf != root_) {
    RemoveNode(leaf);
  } else if (leaf.count > 0) {
    PassLeastUp(leaf);
  }
  if (size_ > 0 && entity.vruntime == least_) least_ = LeastOf(*root_);
}

FairEntity* EntityTree::Next(const FairEntity& entity) {
  const EntityNode& leaf = *entity.tree_leaf;
  const std::int32_t place = PlaceOf(leaf, entity) + 1;
  if (place < leaf.count) return leaf.items[At(place)].entity;
  return leaf.next == nullptr ? nullptr : leaf.next->items.front().entity;
}

std::int32_t EntityTree::height() const {
  if (empty()) return 0;
  std::int32_t height = 1;
  for (const EntityNode* node = root_; !node->is_leaf; node = node->items.front().node) ++height;
  return height;
}

EntityNode* EntityTree::NewNode(bool is_leaf) {
  if (free_.empty()) {
    nodes_.push_back(std::make_unique<EntityNode>());
    free_.push_back(nodes_.back().get());
  }
  EntityNode* const node = free_.back();
  free_.pop_back();
  node->up = nullptr;
  node->place = 0;
  node->count = 0;
  node->is_leaf = is_leaf;
  node->previous = nullptr;
  node->next = nullptr;
  return node;
}

void EntityTree::GrowRoot() {
  EntityNode* const below = root_;
  root_ = NewNode(false);
  Open(*root_, 0, below->keys.front(), LeastOf(*below), {.node = below});
  Tell(*root_, 0);
  SplitChild(*root_, 0);
}

// The full node at `place` becomes two. Requires: `above` has room.
void EntityTree::SplitChild(EntityNode& above, std::int32_t place) {
  EntityNode& left = *above.items[At(place)].node;
  EntityNode& right = *NewNode(left.is_leaf);
  MoveHalf(left, right);
  if (left.is_leaf) LinkBehind(left, right);
  above.leasts[At(place)] = LeastOf(left);
  Open(above, place + 1, right.keys.front(), LeastOf(right), {.node = &right});
  TellFrom(above, place + 1);
}

// An empty node goes, and those above it that are empty then.
void EntityTree::RemoveNode(EntityNode& node) {
  EntityNode* const above = node.up;
  if (node.is_leaf) Unlink(node);
  free_.push_back(&node);
  Close(*above, node.place);
  TellFrom(*above, node.place);
  if (above->count == 0) {
    if (above != root_) return RemoveNode(*above);
    free_.push_back(root_);
    root_ = nullptr;
    return;
  }
  PassLeastUp(*above);
  LowerRoot();
}

void EntityTree::LowerRoot() {
  while (!root_->is_leaf && root_->count == 1) {
    free_.push_back(root_);
    root_ = root_->items.front().node;
    root_->up = nullptr;
  }
}

}  // namespace schedlab::sim::fair
