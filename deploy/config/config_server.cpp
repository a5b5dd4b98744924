#include "deploy/config/config_server.hpp"

#include "actors/gateway/option_table.hpp"
#include "deploy/config/client_conventions.hpp"
#include "deploy/config/config_command.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_remote.hpp"
#include "deploy/config/config_security.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/option_reader.hpp"
#include "deploy/config/server_texts.hpp"

#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

std::vector<std::string> patterns(const config_value& value) {
  auto result = value.texts();
  if (value.token().starts_with('[') && value.elements().empty())
    value.warn("is empty, which is the same as not given");
  return result;
}

// Reads `restart`: whether a server that exited is restarted, or the limits of restarts.
void read_restart(const config_value& value, config_variables& variables, server_options& server) {
  if (value.is_boolean()) {
    server.on_loss = value.token() == "true" ? on_loss::restart : on_loss::end_sessions;
    return;
  }
  if (!value.is_object())
    return value.error("must be true, false or an object");
  server.on_loss = on_loss::restart;
  for (const auto& member : value.members())
    if (!read_member(member, actors::option_table::restart_rows, variables, server.restart))
      warn_of_unknown(member, restart_keys());
  if (server.restart.first_delay > server.restart.longest_delay)
    value.error("`firstDelay` is longer than `longestDelay`");
}

// Reads an array of allowed tools, as clients write it. `*` allows all tools; an empty array allows none.
void read_tool_list(const config_value& value, std::vector<std::string>& allow, std::vector<std::string>& deny) {
  constexpr auto all = "*";
  allow = value.texts();
  if (std::ranges::find(allow, all) != allow.end())
    allow.clear();
  else if (value.token().starts_with('[') && value.elements().empty())
    deny.emplace_back(all);
}

// Reads `tools`: patterns of allowed and denied tools, or an array of allowed tools.
void read_tools(const config_value& value, server_options& server) {
  if (value.token().starts_with('['))
    return read_tool_list(value, server.allow_tools, server.deny_tools);
  for (const auto& member : value.members()) {
    if (member.name == "allow")
      server.allow_tools = patterns(member.value);
    else if (member.name == "deny")
      server.deny_tools = patterns(member.value);
    else
      warn_of_unknown(member, tools_keys());
  }
}

/// Longest plausible `timeout` in seconds. Other clients count in milliseconds, and none allows calls over an hour, so
/// a larger number may mean milliseconds.
constexpr auto doubtful_timeout = std::chrono::hours{1};
constexpr std::uint64_t most_milliseconds = 1'000'000'000'000;

const choices<remote_transport> remote_transports = {{"http", remote_transport::detect},
                                                     {"remote", remote_transport::detect},
                                                     {"streamable-http", remote_transport::streamable_http},
                                                     {"streamableHttp", remote_transport::streamable_http},
                                                     {"streamable_http", remote_transport::streamable_http},
                                                     {"sse", remote_transport::http_sse}};
/// Transports by name; empty for a program.
const choices<std::optional<remote_transport>> transports = [] {
  choices<std::optional<remote_transport>> result{{"stdio", std::nullopt}, {"local", std::nullopt}};
  result.insert(result.end(), remote_transports.begin(), remote_transports.end());
  return result;
}();
const choices<sharing> sharings = {{"auto", sharing::automatic},
                                   {"session", sharing::session},
                                   {"shared", sharing::shared},
                                   {"pool", sharing::pool},
                                   {"principal", sharing::principal}};

const choices<affinity> affinities = {
    {"principal", affinity::principal}, {"none", affinity::none}, {"header", affinity::header}};

const choices<roots> all_roots = {{"auto", roots::automatic}, {"pass", roots::pass}, {"none", roots::none}};
const choices<era> eras = {{"auto", era::automatic}, {"legacy", era::legacy}, {"modern", era::modern}};

const choices<recovery> recoveries = {{"none", recovery::none}, {"restore", recovery::restore}};

bool is_switched_off(const std::vector<config_member>& members) {
  return std::ranges::any_of(members, [](auto& one) {
    return (one.name == "disabled" && one.value.token() == "true") ||
           (one.name == "enabled" && one.value.token() == "false");
  });
}

/// Reads an entry member by member. Whether it is a program or a URL is known at its end.
class server_reader {
public:
  server_reader(const found_server& found, config_variables& variables)
      : entry_(found.entry.value), own_(translate_entry(entry_, found.conventions)),
        enabled_(!found.left_out && !is_switched_off(own_.members)), texts_(variables, enabled_, own_.conventions) {
    result_.name = found.entry.name;
  }

  std::optional<server_options> read() {
    for (const auto& member : own_.members)
      read(member);
    if (entry_.is_object())
      check_whole();
    return enabled_ ? std::optional(result()) : std::nullopt;
  }

  static const std::vector<config_key<server_reader>>& keys();

private:
  void read(const config_member& member) {
    given_.insert(member.name);
    if (!read_by(command_reader::keys(), program_, member) && !read_by(remote_reader::keys(), remote_, member) &&
        !read_by(keys(), *this, member) &&
        !read_member(member, actors::option_table::server_rows, texts_.variables(), result_))
      warn_of_unknown(member, server_keys());
  }

  bool has(std::string_view key) const { return given_.contains(key); }

  server_options result() {
    if (has("url"))
      result_.source = std::move(remote_).result();
    else
      result_.source = std::move(program_).result();
    return std::move(result_);
  }

  // -- transport -----------------------------------------------------------------

  void type(const config_value& value) { choose(value, "type"); }
  void transport(const config_value& value) { choose(value, "transport"); }

  void choose(const config_value& value, std::string_view key) {
    const auto chosen = value.choice(transports);
    if (!chosen)
      return;
    if (transport_ && transport_->second != *chosen)
      value.error("is not the same as `" + std::string(transport_->first) + '`');
    transport_ = {key, *chosen};
    if (*chosen)
      remote_.speak(**chosen);
  }

  // -- how the server is run -----------------------------------------------------

  void share(const config_value& value) { result_.sharing = value.choice(sharings).value_or(sharing::automatic); }

  void meet(const config_value& value) { result_.affinity = value.choice(affinities).value_or(affinity::principal); }

  void speak(const config_value& value) { result_.era = value.choice(eras).value_or(era::automatic); }

  void tell_roots(const config_value& value) { result_.roots = value.choice(all_roots).value_or(roots::automatic); }

  void timeout(const config_value& value) {
    if (value.is_object())
      return request_timeout(value);
    if (own_.conventions.milliseconds && value.is_number()) {
      if (const auto time = value.whole(1, most_milliseconds))
        result_.timeout = std::chrono::milliseconds{*time};
      return;
    }
    const auto time = value.duration();
    if (time && value.is_number() && *time > doubtful_timeout) {
      const auto written = '`' + std::string(value.token());
      value.warn("is in seconds: write " + written + "ms` when milliseconds are meant, else " + written + "s`");
    }
    if (time)
      result_.timeout = *time;
  }

  /// Reads OpenCode's object of timeouts: `startup` and `request`, in milliseconds.
  void request_timeout(const config_value& value) {
    for (const auto& [name, one] : value.members())
      if (name == "request")
        if (const auto time = one.whole(1, most_milliseconds))
          result_.timeout = std::chrono::milliseconds{*time};
  }

  void recover(const config_value& value) { result_.recovery = value.choice(recoveries).value_or(recovery::none); }
  void restart(const config_value& value) { read_restart(value, texts_.variables(), result_); }
  void tools(const config_value& value) { read_tools(value, result_); }
  void include(const config_value& value) { read_tool_list(value, included_, excluded_); }

  void exclude(const config_value& value) {
    for (auto& name : value.texts())
      excluded_.push_back(std::move(name));
  }
  void access(const config_value& value) { read_access(value, result_.access); }

  void prefix(const config_value& value) {
    if (value.is_null() || value.token() == "false" || value.token() == R"("")") {
      result_.prefixed = false;
    } else if (!value.is_text()) {
      value.error("must be a string, or null or false for none");
    } else if (auto text = value.text(); text && !is_prefix(*text)) {
      value.error("must have letters, digits, `_` and `-` only, and 64 of them at most");
    } else if (text) {
      result_.prefix = std::move(*text);
    }
  }

  void disable(const config_value& value) { switch_off(value, true); }
  void enable(const config_value& value) { switch_off(value, false); }

  void switch_off(const config_value& value, bool when) {
    const auto boolean = value.boolean();
    if (boolean && off_ && *off_ != (*boolean == when))
      value.error(std::string("says something else than `") + (when ? "enabled`" : "disabled`"));
    if (boolean)
      off_ = *boolean == when;
  }

  void ignored(const config_value&) {}

  // -- whole entry ---------------------------------------------------------------

  void check_whole() {
    const bool remote = has("url");
    take_tool_lists();
    if (!remote && !has("command") && (!enabled_ || has("settings")))
      leave_out();
    else if (remote == has("command"))
      entry_.error(remote ? "has both `command` and `url`: it is either a program or a URL"
                          : "has neither `command` nor `url`");
    else if (transport_ && remote != transport_->second.has_value())
      entry_.error('`' + std::string(transport_->first) + "` is of a server with " + (remote ? "`command`" : "`url`"));
    else
      warn_of_unused(remote);
    if (has("poolSize") && result_.sharing != sharing::pool)
      entry_.warn("`poolSize` is not used: `sharing` is not `pool`");
    if (result_.roots == roots::pass)
      entry_.warn(result_.sharing == sharing::shared
                      ? "`roots` is not used: `sharing` is `shared`"
                      : "`roots` is `pass`: a client elsewhere can name any folder of this machine to the server");
    const auto is_of_one = result_.sharing == sharing::session ||
                           (result_.sharing == sharing::automatic && (remote || result_.era != era::modern));
    if (result_.affinity == affinity::none && is_of_one)
      entry_.warn("`affinity` `none` begins the server for each request of 2026-07-28, unless `sharing` is `shared` or "
                  "`pool`");
  }

  /// Applies the tool lists of other clients. They extend what `tools` denies, but cannot allow more than it.
  void take_tool_lists() {
    auto& allowed = result_.allow_tools;
    if (!included_.empty() && !allowed.empty() && included_ != allowed)
      entry_.error("`includeTools` says something else than `tools`");
    allowed.insert(allowed.end(), included_.begin(), included_.end());
    result_.deny_tools.insert(result_.deny_tools.end(), excluded_.begin(), excluded_.end());
  }

  /// Disables an entry without a command: it only toggles a server of another file, or a Zed extension has the command.
  void leave_out() {
    if (enabled_)
      entry_.warn("is of an extension of Zed, which alone knows its command: it is left out unless it has `command`");
    enabled_ = false;
  }

  void warn_of_unused(bool remote) const {
    for (const std::string_view key : {"args", "env", "cwd", "user", "limits", "noNewPrivileges"})
      if (remote && has(key))
        entry_.warn('`' + std::string(key) + "` is not used: the server is a URL");
    for (const std::string_view key : {"headers", "auth", "caFile", "connections"})
      if (!remote && has(key))
        entry_.warn('`' + std::string(key) + "` is not used: the server is a program");
  }

  const config_value& entry_;
  client_entry own_;
  bool enabled_;
  server_texts texts_;
  command_reader program_{texts_};
  remote_reader remote_{texts_};
  std::set<std::string_view> given_;
  std::optional<std::pair<std::string_view, std::optional<remote_transport>>> transport_;
  std::optional<bool> off_;
  std::vector<std::string> included_;
  std::vector<std::string> excluded_;
  server_options result_;
};

const std::vector<config_key<server_reader>>& server_reader::keys() {
  static const std::vector<config_key<server_reader>> all = {{"type", &server_reader::type},
                                                             {"transport", &server_reader::transport},
                                                             {"disabled", &server_reader::disable},
                                                             {"enabled", &server_reader::enable},
                                                             {"sharing", &server_reader::share},
                                                             {"affinity", &server_reader::meet},
                                                             {"era", &server_reader::speak},
                                                             {"roots", &server_reader::tell_roots},
                                                             {"timeout", &server_reader::timeout},
                                                             {"restart", &server_reader::restart},
                                                             {"recovery", &server_reader::recover},
                                                             {"tools", &server_reader::tools},
                                                             {"access", &server_reader::access},
                                                             {"prefix", &server_reader::prefix},
                                                             {"includeTools", &server_reader::include},
                                                             {"excludeTools", &server_reader::exclude},
                                                             {"settings", &server_reader::ignored}};
  return all;
}

} // namespace

std::vector<std::string_view> restart_keys() { return keys_of<restart_options>(actors::option_table::restart_rows); }

std::vector<std::string_view> tools_keys() { return {"allow", "deny"}; }

std::optional<server_options> read_server(const found_server& found, config_variables& variables) {
  return server_reader{found, variables}.read();
}

std::vector<std::string_view> server_keys() {
  std::vector<std::string_view> result;
  const auto add = [&](const auto& keys) {
    std::ranges::transform(keys, std::back_inserter(result), [](const auto& one) { return one.name; });
  };
  add(command_reader::keys());
  add(remote_reader::keys());
  add(server_reader::keys());
  result = keys_of<server_options>(actors::option_table::server_rows, std::move(result));
  const auto others = client_keys();
  std::ranges::copy_if(others, std::back_inserter(result), [&](auto one) { return !std::ranges::count(result, one); });
  return result;
}

} // namespace troupe::deploy
