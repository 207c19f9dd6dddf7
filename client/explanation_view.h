#pragma once

#include <string>
#include <string_view>

#include "core/change_explanation.h"

namespace schedlab::client {

// A reason as a sentence.
std::string_view Describe(ChangeReason reason);

// The answer, what led to it, the alerts, and the points around the revision.
std::string RenderExplanation(const ChangeExplanation& explanation);

}  // namespace schedlab::client
