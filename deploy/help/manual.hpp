#pragma once

#include "deploy/help/command_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

// Manual pages in the macros of man(7), from the texts of `--help` and of the configuration schema.

/// Formats `troupe(1)`.
std::string program_page(const command_text& program, const std::string& version);
/// Formats `troupe.json(5)`.
std::string file_page(const std::string& version);

/// Description of a key of the configuration file.
struct manual_key {
  /// Path from the top: `mcpServers.NAME.command`.
  std::string path;
  /// Type: `text`, `number`, `time`, `true or false`, `list`, `object`, or the allowed values; empty when it may be of
  /// several types.
  std::string kind;
  std::string text;
  /// Default value; may be empty.
  std::string default_value;
};

/// Returns the type and default of a key, in one text; may be empty.
std::string kind_text(const manual_key& key);

/// Lists the keys of the schema, in order. Keys with identical meaning, from other clients' files, are listed once.
std::vector<manual_key> manual_keys();

/// Returns the schema's description of the whole file.
std::string file_summary();

/// Returns the text of `config.schema.json`, which is embedded in the program.
std::string_view config_schema();

} // namespace troupe::deploy
