#include "deploy/program/operator_flags.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/operator/admin_endpoint.hpp"
#include "deploy/program/flag_checks.hpp"
#include "deploy/program/flag_values.hpp"
#include "protocol/rate_limits.hpp"

#include <cstdlib>

namespace troupe::deploy {

namespace {

constexpr auto place_variable = "TROUPE_ADMIN";
constexpr std::chrono::milliseconds least_interval{100};
constexpr std::chrono::milliseconds most_interval = std::chrono::hours{1};

std::string check_place(const std::string& text) {
  return read_admin_endpoint(text) ? "" : "'" + text + "' is not http://HOST:PORT, or unix: and the path of a socket";
}

std::optional<std::chrono::milliseconds> read_interval(const std::string& text) {
  const auto result = flag_time(text);
  return result && *result >= least_interval && *result <= most_interval ? result : std::nullopt;
}

std::string check_interval(const std::string& text) {
  return read_interval(text) ? "" : "'" + text + "' is not a time from 100ms to 1h, such as 2s";
}

/// Applies `TROUPE_ADMIN`. CLI11 would read it for every command, typed or not, and overwrite the typed flag.
operator_options operator_options_of(const CLI::App& command, operator_options typed) {
  const auto* const given = std::getenv(place_variable);
  if (command.count("--admin") > 0 || !given || !*given)
    return typed;
  if (auto problem = check_place(given); !problem.empty())
    throw CLI::ValidationError(place_variable, problem);
  typed.admin = given;
  return typed;
}

/// Adds commands with the flags that all of them have.
class operator_commands {
public:
  operator_commands(CLI::App& app, operator_flag_values& typed) : app_(app), typed_(typed) {}

  CLI::App& add(const char* name, const char* text, std::function<operator_action()> action) const {
    auto& result = *app_.add_subcommand(name, text);
    result.group("For operators");
    auto& options = typed_.options;
    result
        .add_option("--admin", options.admin,
                    "Where the gateway listens for operators, as its --admin-listen says; without it, TROUPE_ADMIN has "
                    "the place")
        ->check(CLI::Validator{check_place, ""})
        ->type_name("http://HOST:PORT|unix:PATH")
        ->capture_default_str();
    result
        .add_option("--admin-token-file", options.token_file,
                    "File with the token that the gateway wants; without it, TROUPE_ADMIN_TOKEN has the token, or the "
                    "file of a gateway on loopback is found")
        ->check(must_be_readable())
        ->type_name("FILE");
    result.add_option("--node", options.node, "A node of the cluster, instead of the one that is asked")
        ->type_name("NAME");
    result.add_flag("--json", options.json, "Print the gateway's JSON");
    typed_.commands.emplace_back(&result, std::move(action));
    return result;
  }

private:
  CLI::App& app_;
  operator_flag_values& typed_;
};

void add_session_number(CLI::App& command, std::uint64_t& to) {
  command.add_option("session", to, "Its number, as troupe sessions shows it")
      ->check(must_be_positive())
      ->type_name("N")
      ->required();
}

void add_sessions(const operator_commands& commands, operator_flag_values& typed) {
  auto& list = commands.add("sessions", "List sessions, and leases of clients without sessions", [&] {
    auto action = typed.sessions;
    if (typed.idle || typed.busy)
      action.idle = typed.idle;
    return action;
  });
  list.add_option("--server", typed.sessions.server, "Those of this server alone")->type_name("NAME");
  list.add_option("--caller", typed.sessions.caller, "Those of this caller alone")->type_name("NAME");
  list.add_option("--id", typed.sessions.id, "Those with this in their id, as logs show it")->type_name("ID");
  auto* const idle = list.add_flag("--idle", typed.idle, "Those that nobody uses now");
  list.add_flag("--busy", typed.busy, "Those that somebody uses now")->excludes(idle);
  list.add_option("--limit", typed.sessions.limit, "At most so many")
      ->check(must_be_positive())
      ->type_name("N")
      ->capture_default_str();
  auto& one = commands.add("session", "Show one session with its calls", [&] { return typed.session; });
  add_session_number(one, typed.session.number);
}

void add_looks(const operator_commands& commands, operator_flag_values& typed) {
  commands.add("servers", "List servers: their processes, restarts and users", [] { return list_servers{}; });
  auto& server = commands.add("server", "Show one server with its processes, failures and last lines on stderr",
                              [&] { return show_server{typed.server}; });
  server.add_option("server", typed.server, "Its name")->type_name("SERVER")->required();
  commands.add("nodes", "List the nodes of the cluster", [] { return list_nodes{}; });
  auto& top = commands.add("top", "Show calls in flight, oldest first, again and again; q ends it", [&] {
    return show_top{typed.once, typed.interval.empty() ? std::nullopt : read_interval(typed.interval)};
  });
  top.add_flag("--once", typed.once, "Print them once, as without a terminal");
  top.add_option("--interval", typed.interval, "Time between two looks (default: 2s)")
      ->check(CLI::Validator{check_interval, ""})
      ->type_name("TIME");
  auto& follow = commands.add("follow", "Print a session's messages until it ends", [&] { return typed.followed; });
  add_session_number(follow, typed.followed.number);
  follow.add_flag("--content", typed.followed.content, "All of them, where gateway.admin.content allows it");
}

std::string check_rate(const std::string& text) {
  return protocol::read_drain_rate(text) ? "" : protocol::no_drain_rate(text);
}

void add_drain(const operator_commands& commands, operator_flag_values& typed) {
  auto& drain = commands.add("drain", "Take no new sessions, let calls finish, and end", [&] { return typed.drain; });
  auto* const rate =
      drain
          .add_option("--rate", typed.drain.rate,
                      "Let so many sessions leave for other nodes each second or minute, and end when all have")
          ->check(CLI::Validator{check_rate, ""})
          ->type_name("N[/s|/min]");
  drain.add_flag("!--no-wait", typed.drain.waits, "Do not wait for the end, and print nothing of the progress")
      ->needs(rate);
  commands.add("undrain", "Take new sessions again, while sessions leave at a rate", [] { return undrain_gateway{}; });
}

void add_changes(const operator_commands& commands, operator_flag_values& typed) {
  auto& end = commands.add("end", "End a session, or one call of it", [&] {
    if (typed.ended_call != 0)
      typed.ended.call = typed.ended_call;
    return typed.ended;
  });
  add_session_number(end, typed.ended.number);
  end.add_option("call", typed.ended_call, "The call's number, as troupe session N shows it")
      ->check(must_be_positive())
      ->type_name("CALL");
  for (const auto& [how, text] : {std::pair{"restart", "Start a server's processes anew"},
                                  {"enable", "Let a server be used again"},
                                  {"disable", "Let a server be used no more, and stop it"}}) {
    auto& change = commands.add(how, text, [&typed, how = how] { return change_server{how, typed.server}; });
    change.add_option("server", typed.server, "Its name")->type_name("SERVER")->required();
  }
  commands.add("reload", "Read the configuration file again", [] { return reload_file{}; });
  add_drain(commands, typed);
  auto& level =
      commands.add("log-level", "Show the least level that is logged, or set it", [&] { return typed.level; });
  std::vector<std::string> names;
  for (const auto& [name, value] : log_levels)
    names.push_back(name);
  level.add_option("level", typed.level.level, "The level to set")
      ->check(must_be_one_of(names))
      ->type_name(CLI::detail::join(names, "|"));
}

} // namespace

void add_operator_commands(CLI::App& app, operator_flag_values& typed) {
  const operator_commands commands{app, typed};
  add_sessions(commands, typed);
  add_looks(commands, typed);
  add_changes(commands, typed);
}

std::optional<operator_command> operator_command_of(const operator_flag_values& typed) {
  for (const auto& [command, action] : typed.commands)
    if (command->parsed())
      return operator_command{operator_options_of(*command, typed.options), action()};
  return std::nullopt;
}

} // namespace troupe::deploy
