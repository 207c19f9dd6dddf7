#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"
#include "core/campaign.h"
#include "core/comparison.h"

namespace schedlab::client {

// One line for each gate.
std::string RenderGates(const std::vector<Campaign>& gates);

// A gate: how its baseline was found, what it cost, and what it says of each headline metric.
std::string RenderGate(const Campaign& gate, bool has_color);

// What a gate found as a comparison of its two revisions; without rows before its first results.
RevisionComparison ComparisonOf(const Campaign& gate);

// Of a gate that has ended: a regression where any metric got worse, else a failure of the
// infrastructure where a metric could not be measured or the gate did not finish, else inconclusive
// where one is undecided.
ExitCode VerdictOf(const Campaign& gate);

// "parent, 1 commit back".
std::string DescribeBaseline(const GateSides& sides);

// "decided after 2 rounds and 20 new runs".
std::string DescribeEnd(const Campaign& gate);

}  // namespace schedlab::client
