#pragma once

#include "core/alert.h"
#include "core/result.h"
#include "schedlab/v1/alerts.pb.h"

namespace schedlab::rpc {

v1::AlertState Encode(AlertState state);
Result<AlertState> Decode(v1::AlertState wire);

// Of the alert's revisions, the wire has the ids, and the subjects of `revision` and `recovered`;
// of those of its cells, the ids.
v1::Alert Encode(const Alert& alert);
Result<Alert> Decode(const v1::Alert& wire);

}  // namespace schedlab::rpc
