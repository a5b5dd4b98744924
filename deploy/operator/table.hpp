#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

struct table_column {
  std::string title;
  /// Stands at the right, and is not shortened.
  bool is_number = false;
};

/// Rows under titles, for a terminal. Whatever a cell has, it stays on its line and says nothing to the terminal.
class table {
public:
  explicit table(std::vector<table_column> columns) : columns_{std::move(columns)} {}

  /// As many cells as there are columns; an empty one is shown as `-`.
  void add(const std::vector<std::string>& cells);
  /// Lines that have at most `width` columns, for which the longest texts are shortened; 0 is no limit.
  std::string text(std::size_t width) const;

private:
  std::vector<std::size_t> widths(std::size_t most) const;

  std::vector<table_column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace troupe::deploy
