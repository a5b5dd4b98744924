#pragma once

#include <string>
#include <string_view>

namespace troupe::deploy {

/// Content of a Codex file as JSON, with its servers under `mcpServers` and our keys; or the reason of a failure.
struct codex_file {
  std::string json;
  std::string why_not;
};

/// Reads the TOML tables `mcp_servers`. Variables that Codex names are written as `${NAME}`.
codex_file read_codex_file(std::string_view text);

} // namespace troupe::deploy
