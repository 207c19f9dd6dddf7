#pragma once

#include <string>

#include "client/grid.h"
#include "core/coverage.h"

namespace schedlab::client {

// Cells of earlier engine versions, where a newer one has the same cell: a revision that was
// measured again is not missing what its old results had.
Coverage WithoutSupersededCells(const Coverage& coverage);

// A line for each cell that the revision or a neighbour has: measured with n, or missing.
Grid CoverageGrid(const Coverage& coverage);

// The whole answer in words: the revision, the counts, the cells.
std::string RenderCoverage(const Coverage& coverage);

// Whether the revision has results in any cell.
bool HasResults(const Coverage& coverage);

}  // namespace schedlab::client
