#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/text_table.h"

namespace schedlab::client {

// A table before it is known for whom it is printed. Every row has as many cells as columns.
struct Grid {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// Aligned columns for a terminal.
std::string RenderText(const Grid& grid);
// A table of GitHub's markdown.
std::string RenderMarkdown(const Grid& grid);
// RFC 4180: a header, records that end in CRLF, quotes where a cell needs them.
std::string RenderCsv(const Grid& grid);

// `text` so that GitHub shows it as it is, also within a table.
std::string EscapeMarkdown(std::string_view text);

// A number as programs read it: the shortest text that gives it back exactly.
std::string ExactNumber(double value);

}  // namespace schedlab::client
