#include "deploy/operator/tables.hpp"

#include "deploy/operator/json_fields.hpp"
#include "deploy/operator/readable.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace troupe::deploy {

namespace json = boost::json;

namespace {

std::string time_text_at(const json::value& of, std::string_view name) {
  return has(of, name) ? readable_duration(time_at(of, name)) : "";
}

/// Abbreviates the transport, to leave room on a terminal.
std::string transport_text(const json::value& session) {
  const auto transport = text_at(session, "transport");
  if (transport == "streamable_http")
    return "http";
  if (transport == "http_sse")
    return "sse";
  return transport == "stateless" ? "lease" : transport;
}

std::string idle_text(const json::value& session) {
  return has(session, "idle_ms") ? time_text_at(session, "idle_ms") : "busy";
}

/// Formats counts above 0: `2 ready, 1 waiting`.
std::string counts_text(const json::value& of, std::string_view name) {
  std::string result;
  for (const auto& [what, count] : counts_at(of, name))
    if (count != 0)
      result += (result.empty() ? "" : ", ") + std::to_string(count) + ' ' + what;
  return result;
}

std::uint64_t stream_count(const json::value& session) {
  std::uint64_t result = 0;
  for (const auto& [what, count] : counts_at(session, "streams"))
    result += count;
  return result;
}

std::string server_state(const json::value& server) {
  if (has(server, "enabled") && !flag_at(server, "enabled"))
    return "disabled";
  const auto states = counts_text(server, "states");
  return states.empty() ? "enabled" : states;
}

/// Returns the reason why a server is not ready, or else how it last ended.
std::string server_trouble(const json::value& server) {
  const auto not_ready = text_at(server, "not_ready");
  return not_ready.empty() ? text_at(server, "why") : "not ready: " + not_ready;
}

void add_fact(std::string& page, const char* name, const std::string& value) {
  if (!value.empty())
    page += std::string{name} + ": " + terminal_text(value) + '\n';
}

/// Returns the cells of a call that all tables of calls share.
std::vector<std::string> call_cells(const json::value& call) {
  return {whole_number_text_at(call, "number"), time_text_at(call, "age_ms"), text_at(call, "method"),
          text_at(call, "name"), text_at(call, "server")};
}

std::string processes_table(const json::array& processes, std::size_t width) {
  table result{
      {{"PID", true}, {"AGE", true}, {"RSS", true}, {"CPU", true}, {"PROCESSES", true}, {"USERS", true}, {"SESSION"}}};
  for (const auto& one : processes) {
    const auto is_measured = has(one, "rss_bytes");
    result.add({whole_number_at(one, "pid") == 0 ? "" : whole_number_text_at(one, "pid"), time_text_at(one, "age_ms"),
                is_measured ? readable_bytes(whole_number_at(one, "rss_bytes")) : "", time_text_at(one, "cpu_ms"),
                is_measured ? whole_number_text_at(one, "processes") : "", whole_number_text_at(one, "users"),
                text_at(one, "session")});
  }
  return result.text(width);
}

/// Formats a failure, with the last lines of its process.
std::string failure_text(const json::value& failure) {
  auto result = terminal_text(text_at(failure, "at")) + " failed";
  if (whole_number_at(failure, "after_ms") != 0)
    result += " after " + time_text_at(failure, "after_ms");
  result += ": " + terminal_text(text_at(failure, "why")) + '\n';
  for (const auto& line : array_at(failure, "lines"))
    if (line.is_string())
      result += "  " + terminal_text(line.get_string()) + '\n';
  return result;
}

std::string stderr_text(const json::array& lines) {
  std::string result;
  for (const auto& one : lines)
    result += "  " + terminal_text(text_at(one, "at")) + ' ' + whole_number_text_at(one, "pid") + ' ' +
              terminal_text(text_at(one, "line")) + '\n';
  return result;
}

constexpr std::string_view column_gap = "  ";
/// Width below which texts are not shortened.
constexpr std::size_t least_width = 6;

void add_cell(std::string& line, const std::string& cell, std::size_t width, bool at_right) {
  const auto shown = cut_to(cell, width);
  const std::string blanks(width - std::min(width, columns_of(shown)), ' ');
  line += at_right ? blanks + shown : shown + blanks;
  line += column_gap;
}

/// Ends a line, without its trailing blanks.
std::string ended_line(std::string line, std::size_t width) {
  line.erase(line.find_last_not_of(' ') + 1);
  return (width == 0 ? line : cut_to(line, width)) + '\n';
}

} // namespace

std::string sessions_table(const std::vector<json::value>& sessions, std::size_t width) {
  table result{{{"SESSION", true},
                {"ID"},
                {"KIND"},
                {"SERVER"},
                {"CALLER"},
                {"AGE", true},
                {"IDLE", true},
                {"CALLS", true},
                {"STREAMS", true},
                {"QUESTIONS", true}}};
  for (const auto& session : sessions)
    result.add({whole_number_text_at(session, "number"), text_at(session, "id"), transport_text(session),
                has(session, "server") && text_at(session, "server").empty() ? "all" : text_at(session, "server"),
                text_at(session, "caller"), time_text_at(session, "age_ms"), idle_text(session),
                std::to_string(array_at(session, "calls").size()), std::to_string(stream_count(session)),
                whole_number_text_at(session, "questions")});
  return result.text(width);
}

std::string session_page(const json::value& session, std::size_t width) {
  std::string result;
  const auto server = text_at(session, "server");
  add_fact(result, "session", whole_number_text_at(session, "number"));
  add_fact(result, "id", text_at(session, "id"));
  add_fact(result, "kind", transport_text(session));
  add_fact(result, "server", server.empty() ? "all" : server);
  add_fact(result, "caller", text_at(session, "caller"));
  add_fact(result, "age", time_text_at(session, "age_ms"));
  add_fact(result, "idle", idle_text(session));
  add_fact(result, "streams", counts_text(session, "streams"));
  add_fact(result, "questions", whole_number_text_at(session, "questions"));
  const auto& calls = array_at(session, "calls");
  add_fact(result, "calls", std::to_string(calls.size()));
  if (calls.empty())
    return result;
  table list{{{"CALL", true}, {"AGE", true}, {"METHOD"}, {"NAME"}, {"SERVER"}}};
  for (const auto& call : calls)
    list.add(call_cells(call));
  return result + '\n' + list.text(width);
}

std::string calls_table(const json::array& calls, std::size_t width) {
  table result{
      {{"SESSION", true}, {"CALL", true}, {"AGE", true}, {"METHOD"}, {"NAME"}, {"SERVER"}, {"CALLER"}, {"ID"}}};
  for (const auto& call : calls) {
    auto cells = call_cells(call);
    cells.insert(cells.begin(), whole_number_text_at(call, "session"));
    cells.push_back(text_at(call, "caller"));
    cells.push_back(text_at(call, "session_id"));
    result.add(cells);
  }
  return result.text(width);
}

std::string servers_table(const json::array& servers, std::size_t width) {
  table result{{{"SERVER"},
                {"KIND"},
                {"STATE"},
                {"PROCESSES", true},
                {"RESTARTS", true},
                {"FAILURES", true},
                {"USERS", true},
                {"WHY"}}};
  for (const auto& server : servers)
    result.add({text_at(server, "name"), text_at(server, "kind"), server_state(server),
                std::to_string(array_at(server, "processes").size()), whole_number_text_at(server, "restarts"),
                whole_number_text_at(server, "failures"), whole_number_text_at(server, "users"),
                server_trouble(server)});
  return result.text(width);
}

std::string server_page(const json::value& server, std::size_t width) {
  std::string result;
  add_fact(result, "server", text_at(server, "name"));
  add_fact(result, "kind", text_at(server, "kind"));
  add_fact(result, "state", server_state(server));
  add_fact(result, "not ready", text_at(server, "not_ready"));
  add_fact(result, "users", whole_number_text_at(server, "users"));
  add_fact(result, "restarts", whole_number_text_at(server, "restarts"));
  add_fact(result, "failures", whole_number_text_at(server, "failures"));
  if (const auto& processes = array_at(server, "processes"); !processes.empty())
    result += '\n' + processes_table(processes, width);
  for (const auto& failure : array_at(server, "last_failures"))
    result += '\n' + failure_text(failure);
  if (const auto& lines = array_at(server, "stderr"); !lines.empty())
    result += "\nlast lines on stderr:\n" + stderr_text(lines);
  return result;
}

std::string nodes_table(const std::vector<json::value>& nodes, std::size_t width) {
  table result{{{"NODE"}, {"STATE"}, {"SESSIONS", true}, {"LEASES", true}, {"UP", true}, {"VERSION"}}};
  for (const auto& node : nodes) {
    const auto name = has(node, "node") ? text_at(node, "node") : text_at(node, "name");
    if (!has(node, "uptime_ms"))
      result.add({name, "no answer", "", "", "", ""});
    else
      result.add({name.empty() ? "(alone)" : name, flag_at(node, "draining") ? "draining" : "serving",
                  whole_number_text_at(node, "sessions"), whole_number_text_at(node, "leases"),
                  time_text_at(node, "uptime_ms"), text_at(node, "version")});
  }
  return result.text(width);
}

void table::add(const std::vector<std::string>& cells) {
  std::vector<std::string> row;
  for (const auto& cell : cells)
    row.push_back(cell.empty() ? "-" : terminal_text(cell));
  row.resize(columns_.size());
  rows_.push_back(std::move(row));
}

/// Computes the column widths. While the row is too wide, takes a column from the widest text.
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
