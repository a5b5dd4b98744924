#include "deploy/config/config_file.hpp"

#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_gateway.hpp"
#include "deploy/config/config_sections.hpp"
#include "deploy/config/config_server.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/config/server_checks.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

namespace troupe::deploy {

namespace {

/// Top-level keys that a mistyped key is compared with.
const std::vector<std::string_view> own_keys = {"mcpServers", "servers", "gateway", "inputs", "$schema"};

/// Reads a text that is valid JSON.
class file_reader {
public:
  file_reader(std::string_view text, config_variables variables, const client_conventions& conventions,
              const flagged_options& flags)
      : report_(text), root_(report_, protocol::trimmed(text)), variables_(std::move(variables)),
        conventions_(conventions), flags_(flags) {}

  /// Enables the check that the programs of servers exist.
  void look_for_programs(const environment_lookup& environment) { environment_ = &environment; }

  config_file read() {
    const auto sections = sections_of(root_, conventions_);
    for (const auto& server : sections.servers)
      read_server(server);
    if (sections.gateway)
      cluster_ = read_gateway(*sections.gateway, variables_, file_);
    warn_of_unread(sections);
    if (root_.is_object() && sections.servers.empty())
      root_.error("has no servers: name them in `mcpServers` or `servers`" + where_they_are(sections));
    else if (root_.is_object() && servers_.empty())
      root_.error("has no server that is switched on");
    if (servers_.size() > most_servers)
      root_.error("has more than " + std::to_string(most_servers) + " servers");
    else
      check_prefixes(servers_);
    check_whole();
    if (environment_ && !has_error(report_.problems()))
      check_programs(servers_, *environment_);
    return result();
  }

private:
  void read_server(const found_server& found) {
    const auto& [name, value] = found.entry;
    if (!is_server_name(name))
      value.error("is no name for a server: it must have 1 to 64 characters, none of them `/` or a control "
                  "character, and not be `.` or `..`");
    else if (!names_.insert(name).second)
      value.error("is the name of a server above, too");
    if (auto server = deploy::read_server(found, variables_))
      servers_.push_back({std::move(*server), value});
  }

  /// Warns of unknown keys. A key that resembles a known key may be a typo. Other keys belong to the client that uses
  /// the file: only the first of them is named.
  static void warn_of_unread(const file_sections& sections) {
    std::vector<const config_value*> others;
    for (const auto& member : sections.unknown)
      if (nearest(member.name, own_keys).empty())
        others.push_back(&member.value);
      else
        warn_of_unknown(member, own_keys);
    if (others.size() == 1)
      others.front()->warn("is not known");
    else if (!others.empty())
      others.front()->warn(
          "is not known and ignored, as " +
          (others.size() == 2 ? std::string("is 1 more") : "are " + std::to_string(others.size() - 1) + " more"));
    if (!sections.projects.empty())
      sections.projects.front().at.warn(
          "is of one folder only, and not served: `troupe import` in that folder takes it");
  }

  /// Names a key outside of the server sections that looks like a server.
  static std::string where_they_are(const file_sections& sections) {
    const auto bare = std::ranges::find_if(sections.unknown, [](auto& one) { return looks_like_server(one.value); });
    return bare == sections.unknown.end() ? "" : ", with `" + bare->value.key() + "` in it";
  }

  /// Runs the checks that also depend on flags.
  void check_whole() {
    auto& gateway = file_.gateway;
    apply_flags(gateway, flags_.options, flags_.given);
    if (gateway.cluster)
      check_cluster(*gateway.cluster, cluster_, flags_.given, report_);
    check_recovery(servers_, gateway.cluster);
    check_callers(servers_, gateway);
  }

  config_file result() {
    for (auto& one : servers_)
      file_.gateway.servers.push_back(std::move(one.options));
    file_.gateway.merge = true;
    file_.problems = report_.problems();
    std::ranges::stable_sort(file_.problems, {}, &config_problem::line);
    return std::move(file_);
  }

  config_report report_;
  config_value root_;
  config_variables variables_;
  client_conventions conventions_;
  const flagged_options& flags_;
  const environment_lookup* environment_ = nullptr;
  config_file file_;
  cluster_entries cluster_;
  std::set<std::string> names_;
  std::vector<server_entry> servers_;
};

config_file failed(config_problem problem) {
  config_file result;
  result.problems.push_back(std::move(problem));
  return result;
}

/// Guesses the format of a text that is not JSON, and says what to do.
std::string other_format(std::string_view text) {
  switch (format_of(text)) {
  case text_format::toml:
    return "; this looks like TOML, as Codex has it: `troupe import FILE > mcp.json` makes a file of it";
  case text_format::yaml:
    return "; this looks like YAML, as Continue and Goose have it: write its servers as JSON";
  default:
    return "";
  }
}

/// Reports the line of a syntax error: the parser's message ends with the byte offset.
config_file failed_syntax(std::string_view text, std::string_view error) {
  constexpr std::string_view mark = " at byte ";
  const auto at = std::min(error.rfind(mark), error.size());
  const auto byte = protocol::read_number(error.substr(std::min(at + mark.size(), error.size()))).value_or(0);
  const auto last = text.find_last_not_of(" \t\r\n");
  const auto line = line_index{text}.line_of(std::min<std::size_t>(byte, last == text.npos ? 0 : last));
  return failed(
      {severity::error, line, {}, "is no valid JSON: " + std::string(error.substr(0, at)) + other_format(text)});
}

config_file too_long() {
  return failed({severity::error, 0, {}, "is longer than " + std::to_string(longest_config) + " bytes"});
}

using servers = std::vector<server_options>;

const server_options* named(const servers& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &server_options::name);
  return found == all.end() ? nullptr : &*found;
}

servers missing_from(const servers& some, const servers& all) {
  servers result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](auto& one) { return !named(some, one.name); });
  return result;
}

servers changed(const servers& before, const servers& after) {
  servers result;
  std::ranges::copy_if(after, std::back_inserter(result), [&](auto& one) {
    const auto* const old = named(before, one.name);
    return old && *old != one;
  });
  return result;
}

log_record change(const servers& before, const servers& after) {
  log_record result{log_level::info, "configuration changed", {}};
  auto add = [&](const char* what, const servers& which) {
    if (!which.empty())
      result.fields.emplace_back(what, names_of(which));
  };
  add("added", missing_from(before, after));
  add("removed", missing_from(after, before));
  add("changed", changed(before, after));
  return result;
}

} // namespace

config_file read_config(std::string text, const std::string& directory, const environment_lookup& environment,
                        const flagged_options& flags, programs wanted) {
  if (text.size() > longest_config)
    return too_long();
  blank_comments(text);
  if (const auto error = protocol::json_error(text))
    return failed_syntax(text, *error);
  const auto folder = std::filesystem::path(directory).filename().string();
  file_reader reader{text, config_variables{workspace_of(directory), environment}, conventions_of_folder(folder),
                     flags};
  if (wanted == programs::looked_for)
    reader.look_for_programs(environment);
  return reader.read();
}

std::vector<std::string_view> file_keys() {
  auto result = section_keys();
  result.insert(result.end(), {"gateway", "inputs", "$schema"});
  return result;
}

std::optional<std::string> process_variable(const std::string& name) {
  const auto* const value = std::getenv(name.c_str()); // NOLINT(concurrency-mt-unsafe)
  return value ? std::optional<std::string>(value) : std::nullopt;
}

config_file load_config(const std::string& path, const flagged_options& flags, programs wanted) {
  const auto text = file_text(path, longest_config);
  if (!text)
    return failed({severity::error, 0, {}, "cannot be read: " + std::string(std::strerror(errno))});
  const auto place = std::filesystem::absolute(path).lexically_normal().parent_path();
  return read_config(*text, place.string(), process_variable, flags, wanted);
}

config_change live_config::read_again(const log_sink& log) {
  auto next = load_config(path_, flags_);
  log_problems(log, next.problems);
  if (has_error(next.problems)) {
    log({log_level::error, "configuration not changed", {{"file", path_}}});
    const auto first = std::ranges::find(next.problems, severity::error, &config_problem::severity);
    return {.why_not = problem_line(path_, *first)};
  }
  for (auto& key : gateway_changes(current_, next))
    log({log_level::warning, "needs a restart", {{"key", std::move(key)}}});
  const auto before = std::exchange(current_, std::move(next));
  if (before.gateway.servers == current_.gateway.servers) {
    log({log_level::info, "servers are as they were", {{"file", path_}}});
    return {};
  }
  log(change(before.gateway.servers, current_.gateway.servers));
  return {.servers = current_.gateway.servers};
}

void log_problems(const log_sink& log, const std::vector<config_problem>& problems) {
  for (const auto& problem : problems)
    log({problem.severity == severity::error ? log_level::error : log_level::warning,
         problem.text,
         {{"key", problem.key}, {"line", std::to_string(problem.line)}}});
}

std::string names_of(const servers& all) {
  std::string result;
  for (const auto& one : all)
    result += (result.empty() ? "" : ",") + one.name;
  return result;
}

} // namespace troupe::deploy
