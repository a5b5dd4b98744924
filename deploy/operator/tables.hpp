#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

// What a gateway says of what lives, as tables for people. `width` is that of the terminal; 0 is no limit.

std::string sessions_table(const std::vector<boost::json::value>& sessions, std::size_t width);
/// One session, with a table of its calls.
std::string session_page(const boost::json::value& session, std::size_t width);
/// Calls of all sessions.
std::string calls_table(const boost::json::array& calls, std::size_t width);
std::string servers_table(const boost::json::array& servers, std::size_t width);
/// What each node says of itself; one that did not answer has a name alone.
std::string nodes_table(const std::vector<boost::json::value>& nodes, std::size_t width);

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
