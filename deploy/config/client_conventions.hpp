#pragma once

#include "deploy/config/config_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Conventions of a client's configuration files. Keys that only this client has reveal it.
struct client_conventions {
  /// Numbers are milliseconds, not seconds (Gemini CLI, OpenCode, Copilot CLI, Amazon Q).
  bool milliseconds = false;
  /// `$NAME` is also a variable (Gemini CLI).
  bool dollar_names = false;
  /// `{env:NAME}` is a variable (OpenCode).
  bool brace_names = false;

  friend bool operator==(const client_conventions&, const client_conventions&) = default;
};

/// Returns the habits of the client whose folder has this name, such as `.gemini`.
client_conventions conventions_of_folder(std::string_view name);
client_conventions opencode_conventions();

/// Entry of a server, translated to Troupe's keys, and the habits of its client.
struct client_entry {
  std::vector<config_member> members;
  client_conventions conventions;
};

/// Translates a client's keys: `serverUrl` and `httpUrl` to `url`, `environment` to `env`; Zed's `command` object also
/// holds `args` and `env`. Each value keeps its position in the file. Two keys that contradict each other are an error.
/// A key that is needed but not supported here, such as a login, is reported and left out. A key that concerns clients
/// only, such as `autoApprove`, is left out.
client_entry translate_entry(const config_value& entry, client_conventions conventions);

/// Returns all keys of clients that are translated, reported or left out.
std::vector<std::string_view> client_keys();

/// Rewrites a client's variables as `${NAME}`.
std::string with_common_variables(std::string_view text, const client_conventions& conventions);

/// True if a text ends with a shell variable, `$NAME`.
bool ends_with_dollar_name(std::string_view text);

} // namespace troupe::deploy
