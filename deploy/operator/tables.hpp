#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

// Tables for people of a gateway's sessions, calls, servers and nodes. `width` is the terminal's; 0 is no limit.

std::string sessions_table(const std::vector<boost::json::value>& sessions, std::size_t width);
/// Formats a session, with a table of its calls.
std::string session_page(const boost::json::value& session, std::size_t width);
/// Formats the calls of all sessions.
std::string calls_table(const boost::json::array& calls, std::size_t width);
std::string servers_table(const boost::json::array& servers, std::size_t width);
/// Formats a server: its state, a table of its processes, its last failures, and what it last wrote to stderr.
std::string server_page(const boost::json::value& server, std::size_t width);
/// Formats the answers of all nodes; a node that did not answer has only a name.
std::string nodes_table(const std::vector<boost::json::value>& nodes, std::size_t width);

struct table_column {
  std::string title;
  /// Aligned to the right, and never shortened.
  bool is_number = false;
};

/// Table with titles, for a terminal. Cells are escaped: a cell cannot break its line or send commands to the terminal.
class table {
public:
  explicit table(std::vector<table_column> columns) : columns_{std::move(columns)} {}

  /// Adds a row, with a cell for each column; an empty cell is shown as `-`.
  void add(const std::vector<std::string>& cells);
  /// Formats the table in lines of up to `width` columns, with the longest texts shortened; 0 is no limit.
  std::string text(std::size_t width) const;

private:
  std::vector<std::size_t> widths(std::size_t most) const;

  std::vector<table_column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace troupe::deploy
