#pragma once

#include "deploy/config/config_value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// What a client takes for granted in its own files. Entries tell it by keys that only this client has.
struct client_habits {
  /// Numbers are milliseconds, not seconds (Gemini CLI, OpenCode, Copilot CLI, Amazon Q).
  bool milliseconds = false;
  /// `$NAME` is a variable, too (Gemini CLI).
  bool dollar_names = false;
  /// `{env:NAME}` is a variable (OpenCode).
  bool brace_names = false;

  friend bool operator==(const client_habits&, const client_habits&) = default;
};

/// The habits of the client whose folder has this name, such as `.gemini`.
client_habits habits_of_folder(std::string_view name);
client_habits opencode_habits();

/// A server's entry under the keys of this program, and the habits of who wrote it.
struct client_entry {
  std::vector<config_member> members;
  client_habits habits;
};

/// Translates what clients call otherwise: `serverUrl` and `httpUrl` are `url`, `environment` is `env`, a `command` of
/// Zed that is an object has `args` and `env` in it. Each value keeps its place in the file. Two keys that say
/// different things are an error; what would be needed and cannot be done here, such as a login, is told and left out;
/// what only concerns a client, such as `autoApprove`, is left out.
client_entry in_own_words(const config_value& entry, client_habits habits);

/// All keys of clients that are translated, told or left out.
std::vector<std::string_view> client_words();

/// Writes the variables that a client writes by its habits as `${NAME}`.
std::string with_common_variables(std::string_view text, const client_habits& habits);

/// Whether a text ends with `$NAME`, as a shell would write a variable.
bool ends_with_dollar_name(std::string_view text);

} // namespace troupe::deploy
