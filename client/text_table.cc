#include "client/text_table.h"

#include <algorithm>
#include <utility>

#include "client/terminal.h"
#include "core/check.h"

namespace schedlab::client {
namespace {

void AppendCell(std::string& line, const std::string& cell, std::size_t width, Alignment side) {
  const std::string padding(width - DisplayWidth(cell), ' ');
  if (!line.empty()) line += "  ";
  line += side == Alignment::kRight ? padding + cell : cell + padding;
}

}  // namespace

std::size_t DisplayWidth(std::string_view text) {
  // Every byte but the continuation bytes of UTF-8 begins a character.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::AddRow(std::vector<std::string> cells) {
  SCHEDLAB_CHECK(cells.size() == columns_.size());
  for (std::string& cell : cells) {
    std::replace(cell.begin(), cell.end(), '\n', ' ');
    cell = EscapeControls(cell);
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(DisplayWidth(column.title));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      AppendCell(line, cells[i], widths[i], columns_[i].alignment);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append(titles);
  for (const auto& row : rows_) append(row);
  return text;
}

}  // namespace schedlab::client
