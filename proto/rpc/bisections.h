#pragma once

#include "core/bisection.h"
#include "core/result.h"
#include "schedlab/v1/bisections.pb.h"

namespace schedlab::rpc {

v1::ChangeDirection Encode(ChangeDirection direction);
// CHANGE_DIRECTION_UNSPECIFIED is kEither.
Result<ChangeDirection> Decode(v1::ChangeDirection wire);

v1::BisectionOutcome Encode(BisectionOutcome outcome);
Result<BisectionOutcome> Decode(v1::BisectionOutcome wire);

v1::BisectionQuestion Encode(const BisectionQuestion& question);
Result<BisectionQuestion> Decode(const v1::BisectionQuestion& wire);

v1::BisectionCampaign Encode(const BisectionCampaign& bisection);
// Without the answer.
Result<BisectionCampaign> Decode(const v1::BisectionCampaign& wire);

// The wire has no probes: who asks for the next runs reads them from the store.
v1::BisectionAnswer Encode(const BisectionAnswer& answer);
Result<BisectionAnswer> Decode(const v1::BisectionAnswer& wire);

}  // namespace schedlab::rpc
