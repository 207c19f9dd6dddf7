#pragma once

#include "core/alert.h"
#include "core/change_explanation.h"
#include "core/result.h"
#include "schedlab/v1/alerts.pb.h"

namespace schedlab::rpc {

v1::AlertState Encode(AlertState state);
Result<AlertState> Decode(v1::AlertState wire);

// Of the alert's revisions, the wire has the ids, and the subjects of `revision` and `recovered`;
// of those of its cells, the ids.
v1::Alert Encode(const Alert& alert);
Result<Alert> Decode(const v1::Alert& wire);

v1::ChangeAlertStateRequest Encode(const AlertStateChange& change);
// kInvalidArgument also where schedlab is said to be who does it.
Result<AlertStateChange> Decode(const v1::ChangeAlertStateRequest& wire);

v1::AlertPrecision Encode(const AlertPrecision& precision);
Result<AlertPrecision> Decode(const v1::AlertPrecision& wire);

v1::ChangeReason Encode(ChangeReason reason);
Result<ChangeReason> Decode(v1::ChangeReason wire);

// The wire has the id and subject of the revision, and the ids of the others.
v1::ExplainChangeResponse Encode(const ChangeExplanation& explanation);
Result<ChangeExplanation> Decode(const v1::ExplainChangeResponse& wire);

}  // namespace schedlab::rpc
