#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"
#include "core/campaign.h"

namespace schedlab::client {

// One line for each bisection.
std::string RenderBisections(const std::vector<Campaign>& bisections);

// A bisection: what is searched, the answer or how far it is, and what was run of which commit.
std::string RenderBisection(const Campaign& bisection, bool has_color);

// "4: 23f0d2093c78 is the first bad commit (99 %, confirmed by fresh runs beside its parent); 48
// new runs", or how far it is.
std::string DescribeBisection(const Campaign& bisection);

// "round 3: 8 runs; 62 % 23f0d2093c78, 20 % 56cf515b4b15, 9 % 147c5fc2bad7".
std::string DescribeBisectionRound(const Campaign& bisection);

// Of a bisection that has ended: ok where it says what happened in the range, inconclusive where
// the ends do not differ or it could not tell, infrastructure where it did not finish.
ExitCode ResultOf(const Campaign& bisection);

}  // namespace schedlab::client
