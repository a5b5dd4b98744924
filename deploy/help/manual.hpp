#pragma once

#include "deploy/help/command_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

// Pages of the manual, in the macros of man(7), from what `--help` and editors tell.

/// `troupe(1)`
std::string program_page(const command_text& program, const std::string& version);
/// `troupe.json(5)`
std::string file_page(const std::string& version);

/// What is told of one key of a configuration file.
struct manual_key {
  /// From the top: `mcpServers.NAME.command`.
  std::string path;
  /// `text`, `number`, `time`, `true or false`, `list`, `object`, or the values that there are; empty when it may be of
  /// several kinds.
  std::string kind;
  std::string text;
  /// What it is unless given; may be empty.
  std::string standard;
};

/// Its kind and its default, in one text; may be empty.
std::string kind_text(const manual_key& key);

/// The keys that the schema has, in its order. Keys that say the same, as those of another client's file, come once.
std::vector<manual_key> manual_keys();

/// What the schema says of the file as a whole.
std::string file_summary();

/// The text of `config.schema.json`, which is part of the program.
std::string_view config_schema();

} // namespace troupe::deploy
