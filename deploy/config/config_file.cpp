#include "deploy/config/config_file.hpp"

#include "deploy/config/config_callers.hpp"
#include "deploy/config/config_cluster.hpp"
#include "deploy/config/config_gateway.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_prefixes.hpp"
#include "deploy/config/config_programs.hpp"
#include "deploy/config/config_rules.hpp"
#include "deploy/config/config_server.hpp"
#include "deploy/config/file_text.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

namespace troupe::deploy {

namespace {

/// Reads a text that is valid JSON.
class file_reader {
public:
  file_reader(std::string_view text, config_variables variables, const flagged_options& flags)
      : report_(text), root_(report_, protocol::trimmed(text)), variables_(std::move(variables)), flags_(flags) {}

  /// Where the programs of servers are looked for; they are not unless this is called.
  void look_for_programs(const environment_lookup& environment) { environment_ = &environment; }

  config_file read() {
    for (const auto& member : root_.members())
      read(member);
    if (root_.is_object() && entries_ == 0)
      root_.error("has no servers: name them in `mcpServers` or `servers`");
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
  void read(const config_member& member) {
    if (member.name == "mcpServers" || member.name == "servers")
      read_servers(member.value);
    else if (member.name == "gateway")
      cluster_ = read_gateway(member.value, variables_, file_);
    else if (const auto keys = file_keys(); std::ranges::find(keys, member.name) == keys.end())
      warn_of_unknown(member, keys);
  }

  void read_servers(const config_value& value) {
    for (auto& entry : value.members()) {
      ++entries_;
      if (!is_server_name(entry.name))
        entry.value.error("is no name for a server: it must have 1 to 64 characters, none of them `/` or a control "
                          "character, and not be `.` or `..`");
      else if (!names_.insert(entry.name).second)
        entry.value.error("is the name of a server above, too");
      if (auto server = read_server(entry, variables_))
        servers_.push_back({std::move(*server), std::move(entry.value)});
    }
  }

  /// Checks that depend on the flags, too.
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
  const flagged_options& flags_;
  const environment_lookup* environment_ = nullptr;
  config_file file_;
  cluster_entries cluster_;
  std::size_t entries_ = 0;
  std::set<std::string> names_;
  std::vector<server_entry> servers_;
};

config_file failed(config_problem problem) {
  config_file result;
  result.problems.push_back(std::move(problem));
  return result;
}

/// The parser's message ends with the number of the byte where it stopped.
config_file failed_syntax(std::string_view text, std::string_view error) {
  constexpr std::string_view mark = " at byte ";
  const auto at = std::min(error.rfind(mark), error.size());
  const auto byte = protocol::read_number(error.substr(std::min(at + mark.size(), error.size()))).value_or(0);
  const auto last = text.find_last_not_of(" \t\r\n");
  const auto line = line_index{text}.line_of(std::min<std::size_t>(byte, last == text.npos ? 0 : last));
  return failed({severity::error, line, {}, "is no valid JSON: " + std::string(error.substr(0, at))});
}

config_file too_long() {
  return failed({severity::error, 0, {}, "is longer than " + std::to_string(longest_config) + " bytes"});
}

} // namespace

config_file read_config(std::string text, const std::string& directory, const environment_lookup& environment,
                        const flagged_options& flags, programs wanted) {
  if (text.size() > longest_config)
    return too_long();
  blank_comments(text);
  if (const auto error = protocol::json_error(text))
    return failed_syntax(text, *error);
  file_reader reader{text, config_variables{directory, environment}, flags};
  if (wanted == programs::looked_for)
    reader.look_for_programs(environment);
  return reader.read();
}

std::vector<std::string_view> file_keys() { return {"mcpServers", "servers", "gateway", "inputs", "$schema"}; }

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

} // namespace troupe::deploy
