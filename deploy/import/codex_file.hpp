#pragma once

#include <string>
#include <string_view>

namespace troupe::deploy {

/// What came of a file of Codex: JSON with its servers under `mcpServers` in the words of this program, or why not.
struct codex_file {
  std::string json;
  std::string why_not;
};

/// Reads the tables `mcp_servers` of TOML. Variables that Codex names are written as `${NAME}`.
codex_file read_codex_file(std::string_view text);

} // namespace troupe::deploy
