#pragma once

#include "core/result.h"
#include "core/worker.h"
#include "schedlab/v1/fleet.pb.h"

namespace schedlab::rpc {

v1::WorkerState Encode(WorkerState state);
Result<WorkerState> Decode(v1::WorkerState wire);

// The wire leaves out the incarnation; is_draining is in the state.
v1::Worker Encode(const Worker& worker);
Result<Worker> Decode(const v1::Worker& wire);

}  // namespace schedlab::rpc
