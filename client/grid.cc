#include "client/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "client/terminal.h"

namespace schedlab::client {
namespace {

std::string CsvCell(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(cell);
  std::string text = "\"";
  for (const char one : cell) {
    if (one == '"') text += '"';
    text += one;
  }
  return text + "\"";
}

template <class Convert>
std::string CsvRecord(const std::vector<std::string>& cells, Convert convert) {
  std::string record;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) record += ',';
    record += convert(cells[i]);
  }
  return record + "\r\n";
}

std::vector<std::string> TitlesOf(const Grid& grid) {
  std::vector<std::string> titles;
  for (const Column& column : grid.columns) titles.push_back(column.title);
  return titles;
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += fmt::format(" {} |", EscapeMarkdown(cell));
  return row + "\n";
}

}  // namespace

std::string RenderText(const Grid& grid) {
  TextTable table(grid.columns);
  for (const auto& row : grid.rows) table.AddRow(row);
  return table.Render();
}

std::string RenderMarkdown(const Grid& grid) {
  std::string text = MarkdownRow(TitlesOf(grid)) + "|";
  for (const Column& column : grid.columns) {
    text += column.alignment == Alignment::kRight ? " ---: |" : " --- |";
  }
  text += "\n";
  for (const auto& row : grid.rows) text += MarkdownRow(row);
  return text;
}

// A cell must neither end its column nor its row, nor be taken for a tag.
std::string EscapeMarkdown(std::string_view text) {
  std::string escaped;
  for (const char one : EscapeControls(text)) {
    if (one == '|') escaped += '\\';
    if (one == '<') {
      escaped += "&lt;";
    } else {
      escaped += one == '\n' ? ' ' : one;
    }
  }
  return escaped;
}

std::string RenderCsv(const Grid& grid) {
  std::string text = CsvRecord(TitlesOf(grid), CsvCell);
  for (const auto& row : grid.rows) text += CsvRecord(row, CsvCell);
  return text;
}

std::string ExactNumber(double value) { return fmt::format("{}", value); }

}  // namespace schedlab::client
