#pragma once

#include "deploy/config/config_sections.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Where an entry comes from.
struct import_source {
  std::string client;
  /// Where its relative paths begin.
  std::string folder;
  /// The client starts its programs in that folder.
  bool starts_in_folder = false;
};

/// A server's entry in the words of this program, which means the same wherever its file is.
struct imported_entry {
  /// Nothing when it is left out.
  std::optional<boost::json::object> entry;
  /// Why it is left out, or what was lost of it.
  std::vector<std::string> notes;
};

/// Translates an entry: paths and `${workspaceFolder}` become absolute, `${input:…}` becomes a variable.
imported_entry import_entry(const found_server& found, const import_source& source);

/// Names of the variables in all texts of an entry, sorted; those with a value of their own (`${NAME:-…}`) are left
/// out.
std::vector<std::string> variables_in(const boost::json::object& entry);

} // namespace troupe::deploy
