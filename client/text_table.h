#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace schedlab::client {

enum class Alignment { kLeft, kRight };

struct Column {
  std::string title;  // with the unit of its numbers
  Alignment alignment = Alignment::kLeft;
};

// Rows of text under titles, as wide as their widest cell.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);

  // Control characters in cells are escaped. Requires: as many cells as columns.
  void AddRow(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // The titles and every row, each line ended, without blanks at line ends.
  std::string Render() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters of UTF-8 text, which is what a terminal's columns count here.
std::size_t DisplayWidth(std::string_view text);

}  // namespace schedlab::client
