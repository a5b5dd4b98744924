#pragma once

#include "deploy/config/config_sections.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Origin of an entry.
struct import_source {
  std::string client;
  /// Base folder of its relative paths.
  std::string folder;
  /// True if the client starts its programs in that folder.
  bool starts_in_folder = false;
};

/// Entry of a server, translated to our keys, which does not depend on the location of the file.
struct imported_entry {
  /// Empty when the server is left out.
  std::optional<boost::json::object> entry;
  /// Reasons why the server is left out, or settings that are lost.
  std::vector<std::string> notes;
};

/// Translates an entry: paths and `${workspaceFolder}` become absolute, `${input:…}` becomes a variable.
imported_entry import_entry(const found_server& found, const import_source& source);

/// Returns the sorted names of the variables in all texts of an entry, without variables that have a default
/// (`${NAME:-…}`).
std::vector<std::string> variables_in(const boost::json::object& entry);

} // namespace troupe::deploy
