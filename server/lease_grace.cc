#include "server/lease_grace.h"

namespace schedlab::server {

bool LeaseGrace::IsOver(Time now) {
  if (!ends_at_) BeginAnew(now);
  return now >= *ends_at_;
}

}  // namespace schedlab::server
