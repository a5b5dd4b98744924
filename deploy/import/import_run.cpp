#include "deploy/import/import_run.hpp"

#include "deploy/config/config_file.hpp"
#include "deploy/config/file_text.hpp"
#include "deploy/import/init_run.hpp"
#include "deploy/import/merged_import.hpp"
#include "deploy/log/log_line.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string_view>

namespace troupe::deploy {

namespace {

constexpr auto import_usage = R"(
What is found, left out or renamed is told on stderr; the file goes to stdout:
  troupe import > mcp.json
  troupe import ~/.cursor/mcp.json .vscode/mcp.json > mcp.json
)";

constexpr auto init_usage = R"(
A server's command line behind -- stands in the file instead of the example:
  troupe init
  troupe init mcp.json -- npx -y @modelcontextprotocol/server-everything
)";

/// Limit in bytes. Some clients store a long history in this file.
constexpr std::size_t longest_client_file = 64 * 1024 * 1024;

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string whole_path(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

std::vector<client_config> named_places(const std::vector<std::string>& files) {
  const auto home = process_variable("HOME").value_or("");
  std::vector<client_config> result;
  for (const auto& file : files) {
    const auto path = whole_path(file);
    const auto place = std::filesystem::path(path);
    const auto of_home = workspace_of(place.parent_path().string()) == home;
    const auto in_client_folder = workspace_of(place.parent_path().string()) != place.parent_path().string();
    result.push_back(
        {client_of(path).value_or(""), path, !of_home && (in_client_folder || place.filename() == ".mcp.json")});
  }
  return result;
}

std::vector<client_config> usual_places() {
  const auto home = process_variable("HOME").value_or("");
  const auto settings = process_variable("XDG_CONFIG_HOME").value_or("");
  return client_config_files(home, settings.empty() ? home + "/.config" : settings,
                             std::filesystem::current_path().string());
}

/// True if a file of Continue or Goose names a server.
bool has_servers_of_yaml(std::string_view text) {
  constexpr std::string_view marks[] = {"\nmcpServers:", "\n    cmd:", "\n    uri:"};
  return std::ranges::any_of(marks, [&](auto mark) { return text.find(mark) != text.npos; });
}

class import_run {
public:
  explicit import_run(const import_command& command)
      : command_(command), merged_(std::filesystem::current_path().string()) {}

  int run() {
    const bool are_named = !command_.files.empty();
    for (const auto& place : are_named ? named_places(command_.files) : usual_places())
      read(place, are_named);
    if (command_.list)
      return found_ > 0 && !failed_ ? 0 : 1;
    if (merged_.empty()) {
      std::cerr << "troupe: " << why_nothing() << '\n';
      return 1;
    }
    if (!take_secrets())
      return 1;
    std::cout << merged_.text(schema_place()) << std::flush;
    say_what_is_needed();
    return failed_ || !std::cout ? 1 : 0;
  }

private:
  const char* why_nothing() const {
    if (found_ > 0)
      return "none of these servers can be taken";
    return failed_ ? "none of these files has servers that can be read" : "no file of a client was found";
  }

  void read(const client_config& place, bool is_named) {
    const auto text =
        is_named ? file_text(place.path, longest_client_file) : regular_file_text(place.path, longest_client_file);
    if (!text && (is_named || (errno != ENOENT && errno != ENOTDIR)))
      return say_failure(place.path, std::strerror(errno), is_named);
    if (!text)
      return;
    if (text->size() > longest_client_file)
      return say_failure(place.path, "is too long", is_named);
    const auto file = merged_.add(place, *text);
    if (!is_named && format_of(*text) == text_format::yaml && !has_servers_of_yaml(*text))
      return;
    if (!file.why_not.empty())
      return say_failure(place.path, file.why_not, is_named);
    if (file.lines.empty() && !is_named)
      return;
    ++found_;
    say(file);
  }

  /// Reports a file that cannot be read. Only for files that the user named, this is a failure of the command.
  void say_failure(const std::string& path, const std::string& why, bool is_named) {
    std::cerr << escaped(path) << ": " << escaped(why) << '\n';
    failed_ = failed_ || is_named;
  }

  void say(const imported_file& file) const {
    auto& to = command_.list ? std::cout : std::cerr;
    to << escaped(file.path) << (file.client.empty() ? "" : " (" + file.client + ')') << ": "
       << counted(file.servers, "server") << '\n';
    for (const auto& line : file.lines)
      to << "  " << escaped(line) << '\n';
  }

  bool take_secrets() {
    if (command_.secrets.empty())
      return true;
    const auto taken = merged_.take_secrets();
    if (taken.empty())
      return true;
    if (const auto why_not = write_new_file(command_.secrets, secrets_text(taken)); !why_not.empty()) {
      std::cerr << "troupe: --extract-secrets: " << escaped(command_.secrets) << ' ' << why_not << '\n';
      return false;
    }
    std::cerr << counted(taken.size(), "secret") << " written to " << escaped(command_.secrets)
              << ", which only you can read: `set -a; . " << escaped(command_.secrets)
              << "; set +a` before `troupe serve`\n";
    return true;
  }

  void say_what_is_needed() const {
    if (const auto secrets = merged_.secrets(); secrets > 0)
      std::cerr << counted(secrets, "value") << (secrets == 1 ? " looks" : " look")
                << " secret: keep the file for yourself (chmod 600), or use --extract-secrets\n";
    std::string unset;
    for (const auto& name : merged_.variables())
      if (!process_variable(name))
        unset += (unset.empty() ? "" : ", ") + name;
    if (!unset.empty())
      std::cerr << "not set here: " << escaped(unset) << '\n';
    std::cerr << counted(merged_.size(), "server") << " from " << counted(found_, "file") << '\n';
  }

  const import_command& command_;
  merged_import merged_;
  std::size_t found_ = 0;
  bool failed_ = false;
};

} // namespace

CLI::App& add_import(CLI::App& app, import_command& command) {
  auto& result = *app.add_subcommand("import", "Make one file of those that MCP clients have, to serve their servers");
  result.footer(import_usage);
  result.add_option("file", command.files, "Files of clients (default: all that are found on this machine)")
      ->type_name("FILE...");
  auto* const list = result.add_flag("--list", command.list, "Only list the files that are found, and their servers");
  result
      .add_option("--extract-secrets", command.secrets,
                  "New file that takes the values that look secret, as lines MCP_SERVER_NAME='value'")
      ->type_name("FILE")
      ->excludes(list);
  return result;
}

CLI::App& add_init(CLI::App& app, init_command& command) {
  auto& result = *app.add_subcommand("init", "Write a first configuration file");
  result.footer(init_usage);
  result.add_option("file", command.file, "The file, which must not be there yet")
      ->type_name("FILE")
      ->capture_default_str();
  return result;
}

int run_import(const import_command& command) { return import_run{command}.run(); }

} // namespace troupe::deploy
