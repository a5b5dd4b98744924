#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_rules.hpp"
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

/// The variables of a file as `dotenv` and VS Code's `envFile` have it.
struct env_file {
  std::vector<std::pair<std::string, std::string>> variables;
  /// The first line, counted from 1, that is none of it; 0 when all are.
  std::size_t bad_line = 0;
};

/// Reads lines `NAME=value`, perhaps after `export`. A value in single quotes is taken as it is; in double quotes it
/// may have `\n`, `\"` and `\\`; one without quotes ends at a `#` after a blank. Lines that are empty or begin with `#`
/// are skipped. Variables in values are not replaced.
env_file read_env_file(std::string_view text);

/// The keys of the section `limits` of a server.
std::vector<std::string_view> process_limits_keys();

/// Reads of a server's entry what says that it is a program.
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
