#pragma once

#include <cstdint>

#include "sim/fair/entity.h"

namespace schedlab::sim::fair {

// Entities in the order of a key, first in first out among equal keys. A treap whose nodes are the
// entities themselves: nothing is allocated, and every step is of logarithmic expected cost. Its
// ranks are a function of the order of insertions, never of addresses. An entity is in at most one
// tree, and its vruntime does not change there.
class EntityTree {
 public:
  bool empty() const { return root_ == nullptr; }
  std::int32_t size() const { return size_; }
  FairEntity* first() const { return first_; }
  // For searches by `subtree_vruntime`.
  FairEntity* root() const { return root_; }

  void Insert(FairEntity& entity, std::int64_t key);
  void Remove(FairEntity& entity);

  // The one behind `entity`, null behind the last.
  static FairEntity* Next(const FairEntity& entity);

 private:
  FairEntity* root_ = nullptr;
  FairEntity* first_ = nullptr;
  std::int32_t size_ = 0;
  std::uint64_t insertion_count_ = 0;
};

}  // namespace schedlab::sim::fair
