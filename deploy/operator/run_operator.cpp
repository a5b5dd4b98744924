#include "deploy/log/log_line.hpp"
#include "deploy/operator/drain_watch.hpp"
#include "deploy/operator/json_fields.hpp"
#include "deploy/operator/operator_client.hpp"
#include "deploy/operator/operator_command.hpp"
#include "deploy/operator/readable.hpp"
#include "deploy/operator/tables.hpp"
#include "deploy/operator/terminal.hpp"
#include "deploy/operator/top.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

namespace troupe::deploy {

namespace {

/// Sessions from one or several pages of the gateway's answer.
struct found_sessions {
  std::vector<boost::json::value> sessions;
  /// Number of all sessions that match.
  std::uint64_t total = 0;
  /// JSON of all pages, as one answer of the gateway.
  std::string json;
};

constexpr std::size_t longest_page = 1000;

operator_query query_of(const list_sessions& action, std::uint64_t after, std::size_t limit) {
  return {{"after", std::to_string(after)},
          {"limit", std::to_string(limit)},
          {"server", action.server},
          {"caller", action.caller},
          {"id", action.id},
          {"idle", !action.idle   ? ""
                   : *action.idle ? "true"
                                  : "false"}};
}

/// Returns the elements of an array, without its brackets.
std::string elements(std::string_view text, std::string_view name) {
  const auto array = protocol::find_member(text, {name});
  if (!array || !array->starts_with('['))
    return {};
  return std::string{protocol::trimmed(array->substr(1, array->size() - 2))};
}

// Requests page after page, until the limit is reached or the list ends.
found_sessions find_sessions(const operator_client& client, const list_sessions& action) {
  found_sessions result;
  std::string listed;
  std::uint64_t after = 0;
  std::uint64_t next = 0;
  do {
    after = next;
    const auto limit = std::min(action.limit - result.sessions.size(), longest_page);
    const auto page = client.get("/api/sessions", query_of(action, after, limit));
    const auto& sessions = array_at(page.value, "sessions");
    result.sessions.insert(result.sessions.end(), sessions.begin(), sessions.end());
    if (const auto more = elements(page.text, "sessions"); !more.empty())
      listed += (listed.empty() ? "" : ",") + more;
    result.total = whole_number_at(page.value, "total");
    next = whole_number_at(page.value, "next");
  } while (next > after && result.sessions.size() < action.limit);
  result.json = R"({"sessions":[)" + listed + R"(],"total":)" + std::to_string(result.total);
  result.json += next > after ? R"(,"next":)" + std::to_string(next) + '}' : "}";
  return result;
}

/// Limit of an event, in bytes: above the longest message body.
constexpr std::size_t longest_event = std::size_t{64} * 1024 * 1024;

std::string path_of_session(std::uint64_t number) { return "/api/sessions/" + std::to_string(number); }

/// Runs one command, and prints its result.
class operator_run {
public:
  explicit operator_run(const operator_options& options) : options_(options), client_(options) {}

  void run(const list_sessions& action) {
    const auto found = find_sessions(client_, action);
    if (options_.json)
      return print_json(found.json);
    if (found.sessions.empty())
      return print("no sessions\n");
    print(sessions_table(found.sessions, width()));
    if (found.total > found.sessions.size())
      print("and " + std::to_string(found.total - found.sessions.size()) + " more: see them with --limit\n");
  }

  void run(const show_session& action) {
    const auto session = client_.get(path_of_session(action.number));
    options_.json ? print_json(session.text) : print(session_page(session.value, width()));
  }

  void run(const list_servers&) {
    const auto servers = client_.get("/api/servers");
    if (options_.json)
      return print_json(servers.text);
    const auto& list = array_at(servers.value, "servers");
    print(list.empty() ? "no servers\n" : servers_table(list, width()));
  }

  void run(const show_server& action) {
    const auto server = client_.get("/api/servers/" + protocol::percent_encoded(action.name));
    options_.json ? print_json(server.text) : print(server_page(server.value, width()));
  }

  void run(const list_nodes&) {
    const auto node = client_.get("/api/node");
    if (options_.json)
      return print_json(node.text);
    std::vector<boost::json::value> nodes{node.value};
    for (const auto& other : array_at(node.value, "nodes"))
      nodes.push_back(said_by(other));
    print(nodes_table(nodes, width()));
  }

  void run(const show_top& action) { run_top(client_, options_, action); }

  void run(const end_session& action) {
    const auto session = "session " + std::to_string(action.number);
    if (action.call)
      change("DELETE", path_of_session(action.number) + "/calls/" + std::to_string(*action.call),
             "call " + std::to_string(*action.call) + " of " + session + " is ended");
    else
      change("DELETE", path_of_session(action.number), session + " is ended");
  }

  void run(const change_server& action) {
    change("POST", "/api/servers/" + protocol::percent_encoded(action.server) + '/' + action.how,
           "server " + escaped(action.server) + ": " + action.how + " is under way");
  }

  void run(const reload_file&) { change("POST", "/api/reload", "the configuration file is read again"); }

  void run(const drain_gateway& action) {
    if (action.rate.empty())
      change("POST", "/api/drain", "it drains: no new sessions, calls in flight may finish, then it ends");
    else
      run_drain(client_, options_, action);
  }

  void run(const undrain_gateway&) {
    change("DELETE", "/api/drain", "it stays: sessions that have left do not come back, and new ones begin here again");
  }

  void run(const set_log_level& action) {
    const auto answer = action.level.empty() ? client_.get("/api/log-level")
                                             : client_.ask("PUT", "/api/log-level", {},
                                                           R"({"level":)" + protocol::quoted(action.level) + '}');
    options_.json ? print_json(answer.text) : print(escaped(text_at(answer.value, "level")) + '\n');
  }

  void run(const follow_session& action) {
    protocol::sse_decoder events{longest_event, true};
    bool has_ended = false;
    client_.follow(path_of_session(action.number) + "/follow", {{"content", action.content ? "true" : ""}},
                   [&](std::string_view piece) {
                     for (const auto& event : events.feed(piece))
                       has_ended = show(event) || has_ended;
                     std::cout.flush();
                     return !has_ended && std::cout.good();
                   });
    if (!has_ended && std::cout)
      throw operator_failure("the gateway closed the connection, and session " + std::to_string(action.number) +
                             " had not ended before");
  }

private:
  static std::size_t width() { return size_of_stdout().columns; }
  static void print(const std::string& text) { std::cout << text; }
  static void print_json(std::string_view text) { std::cout << safe_json(protocol::trimmed(text)) << '\n'; }

  void change(const std::string& method, const std::string& path, const std::string& done) {
    const auto answer = client_.ask(method, path);
    options_.json ? print_json(answer.text) : print(done + '\n');
  }

  /// Queries another node for its state; returns `node` when it does not answer.
  boost::json::value said_by(const boost::json::value& node) const {
    auto asked = options_;
    asked.node = text_at(node, "name");
    try {
      return operator_client{asked}.get("/api/node").value;
    } catch (const operator_failure&) {
      return node;
    }
  }

  /// Prints an event. Returns true for the last one.
  bool show(const protocol::event& event) const {
    if (event.type == "end")
      return true;
    if (!options_.json)
      print_line(followed_line(event));
    else if (!protocol::json_error(event.data))
      print_json(event.data);
    return false;
  }
  static void print_line(const std::string& line) {
    if (!line.empty())
      std::cout << line << '\n';
  }

  const operator_options& options_;
  operator_client client_;
};

} // namespace

int run_operator(const operator_command& command) {
  try {
    operator_run run{command.options};
    std::visit([&](const auto& action) { run.run(action); }, command.action);
    std::cout.flush();
    if (std::cout)
      return 0;
    std::cerr << "troupe: cannot write to stdout\n";
  } catch (const operator_failure& failure) {
    std::cerr << "troupe: " << failure.what() << '\n';
  }
  return 1;
}

} // namespace troupe::deploy
