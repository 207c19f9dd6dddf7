#pragma once

#include <chrono>
#include <optional>

namespace schedlab::server {

// When leases may be taken back. A lease that nobody could renew, since no coordinator was up or
// none reached the database, says nothing about its worker; once renewals are possible again, every
// worker gets the length of a lease to come back. Not thread-safe.
class LeaseGrace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit LeaseGrace(std::chrono::milliseconds lease_ttl) : lease_ttl_(lease_ttl) {}

  // The first call begins the time of grace.
  bool IsOver(Time now);
  // Renewals are not possible at `now`: the time of grace begins anew.
  void BeginAnew(Time now) { ends_at_ = now + lease_ttl_; }

 private:
  std::chrono::milliseconds lease_ttl_;
  std::optional<Time> ends_at_;
};

}  // namespace schedlab::server
