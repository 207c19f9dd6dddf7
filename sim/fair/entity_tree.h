#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/fair/entity.h"

namespace schedlab::sim::fair {

// A node of an EntityTree: a leaf holds entities, another node holds nodes. Keys and vruntimes are
// copied into it, side by side: a search reads a few cache lines of nodes and no entity.
struct EntityNode {
  static constexpr std::int32_t kSize = 16;

  EntityNode* up = nullptr;
  std::int32_t place = 0;  // in `up`
  std::int32_t count = 0;
  bool is_leaf = true;
  EntityNode* previous = nullptr;  // leaves only: its neighbours in the order of keys
  EntityNode* next = nullptr;
  std::array<std::int64_t, kSize> keys;    // of a node: not above any key in it
  std::array<std::int64_t, kSize> leasts;  // the vruntime; of a node: the least in it
  union Item {
    FairEntity* entity;
    EntityNode* node;
  };
  std::array<Item, kSize> items;
};

// Entities in the order of a key, first in first out among equal keys. A B-tree, so that a queue of
// many thousand tasks costs few cache misses; nodes that run empty go, others are not merged. Every
// step is of logarithmic cost. An entity is in at most one tree, and its vruntime does not change
// there.
class EntityTree {
 public:
  bool empty() const { return first_ == nullptr; }
  std::int32_t size() const { return size_; }
  FairEntity* first() const { return first_; }
  // Requires: not empty.
  std::int64_t least_vruntime() const { return least_; }

  void Insert(FairEntity& entity, std::int64_t key);
  void Remove(FairEntity& entity);

  // The one behind `entity`, null behind the last.
  static FairEntity* Next(const FairEntity& entity);

  // The first one whose vruntime fulfils `suits`, null where none does. Requires: what suits at a
  // vruntime suits at every lower one.
  template <class Suits>
  FairEntity* FirstWith(Suits suits) const {
    const EntityNode* node = root_;
    while (node != nullptr) {
      std::int32_t place = 0;
      while (place < node->count && !suits(LeastAt(*node, place))) ++place;
      if (place == node->count) return nullptr;
      const EntityNode::Item item = node->items[static_cast<std::size_t>(place)];
      if (node->is_leaf) return item.entity;
      node = item.node;
    }
    return nullptr;
  }

  // From the root to a leaf; 0 without entities.
  std::int32_t height() const;

 private:
  static std::int64_t LeastAt(const EntityNode& node, std::int32_t place) {
    return node.leasts[static_cast<std::size_t>(place)];
  }

  EntityNode* NewNode(bool is_leaf);
  void GrowRoot();
  void SplitChild(EntityNode& above, std::int32_t place);
  void RemoveNode(EntityNode& node);
  void LowerRoot();

  EntityNode* root_ = nullptr;
  FairEntity* first_ = nullptr;
  std::int64_t least_ = 0;
  std::int32_t size_ = 0;
  std::vector<std::unique_ptr<EntityNode>> nodes_;
  std::vector<EntityNode*> free_;  // of these
};

}  // namespace schedlab::sim::fair
