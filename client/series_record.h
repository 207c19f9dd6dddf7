#pragma once

#include <string>
#include <vector>

#include "client/text_table.h"
#include "core/series.h"

namespace schedlab::client {

// What every record of a series begins with, for programs.
std::vector<Column> SeriesColumns();
// Parallel to SeriesColumns().
std::vector<std::string> SeriesCells(const Series& series);

}  // namespace schedlab::client
