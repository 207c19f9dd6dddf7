#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/mutex.h"
#include "core/result.h"
#include "server/loop.h"

namespace schedlab::server {

inline constexpr std::size_t kMaxWatches = 4096;

// Somebody who follows one item, such as a job. Both calls return at once and come from one thread
// at a time; the last call is one with `is_last` set, or End().
template <class Item>
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Whether the watcher still listens.
  virtual bool is_listening() const = 0;
  virtual void Show(const Item& item, bool is_last) = 0;
  virtual void End(const Error& error) = 0;
};

// Shows watched items to their watchers after every change, whichever coordinator made it: one
// query for all of them, soon after news and every so often. An item has an `id` and is compared by
// ==. Thread-safe.
template <class Item>
class ItemWatchHub {
 public:
  using Id = decltype(Item::id);

  struct Options {
    std::string noun;  // "job"
    std::string component;
    std::chrono::milliseconds interval{250};
    // Those that exist, in no particular order.
    std::function<Result<std::vector<Item>>(std::span<const Id>)> read;
    // Whether nothing about the item changes any more.
    std::function<bool(const Item&)> is_settled;
    std::function<void(std::int64_t)> on_count;  // of open watches
  };

  ItemWatchHub(Options options, Log& log, Telemetry& telemetry)
      : options_(std::move(options)),
        loop_({.component = options_.component,
               .interval = options_.interval,
               .minimum_gap = std::chrono::milliseconds{50}},
              log, telemetry, [this](const std::stop_token&) { return Poll(); }) {}

  // Shows `item` at once, and then what becomes of it.
  void Add(std::shared_ptr<Watcher<Item>> watcher, const Item& item) {
    if (options_.is_settled(item)) {
      watcher->Show(item, true);
      return;
    }
    // Before it is registered, so that no later state can overtake the first.
    watcher->Show(item, false);
    Error refusal;
    {
      const MutexLock lock(mutex_);
      if (!is_draining_ && watches_.size() < kMaxWatches) {
        watches_.push_back({std::move(watcher), item});
        return;
      }
      refusal = is_draining_ ? ShuttingDown() : TooManyWatches();
    }
    watcher->End(refusal);
  }

  // An item may have changed.
  void Wake() { loop_.Wake(); }

  // Ends every watch with kUnavailable, those that are added later too.
  void Drain() {
    std::vector<Watch> ended;
    {
      const MutexLock lock(mutex_);
      is_draining_ = true;
      ended.swap(watches_);
    }
    for (const Watch& watch : ended) watch.watcher->End(ShuttingDown());
  }

 private:
  // Watchers are shared: gRPC calls back into a stream that the hub has let go of, and the reverse.
  struct Watch {
    std::shared_ptr<Watcher<Item>> watcher;
    Item shown;
  };

  Error ShuttingDown() const {
    return {ErrorCode::kUnavailable,
            fmt::format("the coordinator is shutting down; watch the {} again", options_.noun)};
  }

  Error TooManyWatches() const {
    return {ErrorCode::kResourceExhausted,
            fmt::format("{} {}s are watched already; try again later", kMaxWatches, options_.noun)};
  }

  std::vector<Id> WatchedIds() {
    const MutexLock lock(mutex_);
    const auto gone = std::remove_if(watches_.begin(), watches_.end(), [](const Watch& watch) {
      return !watch.watcher->is_listening();
    });
    watches_.erase(gone, watches_.end());
    options_.on_count(static_cast<std::int64_t>(watches_.size()));
    std::set<Id> ids;
    for (const Watch& watch : watches_) ids.insert(watch.shown.id);
    return {ids.begin(), ids.end()};
  }

  Status Poll() {
    const std::vector<Id> ids = WatchedIds();
    if (ids.empty()) return {};
    Result<std::vector<Item>> items = options_.read(ids);
    if (!items) return Fail(items.error());
    std::map<Id, Item> by_id;
    for (Item& item : *items) by_id.emplace(item.id, std::move(item));
    ShowChanges(by_id);
    return {};
  }

  void ShowChanges(const std::map<Id, Item>& items) {
    std::vector<Watch> changed;
    {
      const MutexLock lock(mutex_);
      for (Watch& watch : watches_) {
        const auto found = items.find(watch.shown.id);
        if (found == items.end() || found->second == watch.shown) continue;
        watch.shown = found->second;
        changed.push_back(watch);
      }
      const auto settled =
          std::remove_if(watches_.begin(), watches_.end(),
                         [this](const Watch& watch) { return options_.is_settled(watch.shown); });
      watches_.erase(settled, watches_.end());
    }
    for (const Watch& watch : changed) {
      watch.watcher->Show(watch.shown, options_.is_settled(watch.shown));
    }
  }

  const Options options_;
  Mutex mutex_;
  bool is_draining_ SCHEDLAB_GUARDED_BY(mutex_) = false;
  std::vector<Watch> watches_ SCHEDLAB_GUARDED_BY(mutex_);
  Loop loop_;  // last: it uses the members above
};

}  // namespace schedlab::server
