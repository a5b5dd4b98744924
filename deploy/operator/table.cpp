#include "deploy/operator/table.hpp"

#include "deploy/log/log_line.hpp"
#include "deploy/operator/readable.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace troupe::deploy {

namespace {

constexpr std::string_view column_gap = "  ";
/// Texts are not made shorter than that.
constexpr std::size_t least_width = 6;

void add_cell(std::string& line, const std::string& cell, std::size_t width, bool at_right) {
  const auto shown = cut_to(cell, width);
  const std::string blanks(width - std::min(width, columns_of(shown)), ' ');
  line += at_right ? blanks + shown : shown + blanks;
  line += column_gap;
}

/// Without the blanks at its end.
std::string ended_line(std::string line, std::size_t width) {
  line.erase(line.find_last_not_of(' ') + 1);
  return (width == 0 ? line : cut_to(line, width)) + '\n';
}

} // namespace

void table::add(const std::vector<std::string>& cells) {
  std::vector<std::string> row;
  for (const auto& cell : cells)
    row.push_back(cell.empty() ? "-" : escaped(cell));
  row.resize(columns_.size());
  rows_.push_back(std::move(row));
}

/// What does not fit is taken from the widest text, again and again.
std::vector<std::size_t> table::widths(std::size_t most) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    auto width = columns_of(columns_[i].title);
    for (const auto& row : rows_)
      width = std::max(width, columns_of(row[i]));
    result.push_back(most == 0 ? width : std::min(width, most));
  }
  const auto gaps = column_gap.size() * (columns_.size() - 1);
  while (most != 0 && std::accumulate(result.begin(), result.end(), gaps) > most) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (!columns_[i].is_number && result[i] > (widest ? *widest : least_width))
        widest = &result[i];
    if (!widest)
      break;
    --*widest;
  }
  return result;
}

std::string table::text(std::size_t width) const {
  const auto wide = widths(width);
  std::string result;
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    add_cell(line, columns_[i].title, wide[i], columns_[i].is_number);
  result += ended_line(std::exchange(line, {}), width);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      add_cell(line, row[i], wide[i], columns_[i].is_number);
    result += ended_line(std::exchange(line, {}), width);
  }
  return result;
}

} // namespace troupe::deploy
