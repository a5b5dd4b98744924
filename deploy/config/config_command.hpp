#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/server_texts.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Longest file of variables, in bytes.
inline constexpr std::size_t longest_env_file = 1024 * 1024;

/// Variables of a file in the format of `dotenv` and of VS Code's `envFile`.
struct env_file {
  std::vector<std::pair<std::string, std::string>> variables;
  /// First invalid line, counted from 1; 0 if all lines are valid.
  std::size_t bad_line = 0;
};

/// Reads lines `NAME=value`, optionally after `export`. Single quotes keep a value literal; double quotes allow the
/// escapes `\n`, `\"` and `\\`. An unquoted value ends at a `#` after a blank. Empty lines and lines with `#` first are
/// skipped. Variables in values are not expanded.
env_file read_env_file(std::string_view text);

/// Keys of the section `limits` of a server.
std::vector<std::string_view> process_limits_keys();

/// Reads the keys of a server's entry that describe a program.
class command_reader {
public:
  explicit command_reader(server_texts& texts) : texts_(texts) {}

  static const std::vector<config_key<command_reader>>& keys();
  command_server result() &&;

private:
  void command(const config_value& value);
  void command_line(const config_value& words);
  void args(const config_value& value);
  void env(const config_value& value);
  static std::optional<std::string> env_text(const config_value& value);
  void env_file(const config_value& value);
  void cwd(const config_value& value);
  void user(const config_value& value);
  void limits(const config_value& value);
  void no_new_privileges(const config_value& value);

  server_texts& texts_;
  command_server result_;
  std::vector<std::pair<std::string, std::string>> of_file_; // variables of `envFile`
};

} // namespace troupe::deploy
