#pragma once

#include "deploy/import/client_config_files.hpp"
#include "deploy/import/imported_entry.hpp"
#include "deploy/import/secrets.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Formats JSON for people: short values on one line, others with each member on its own line, indented by two spaces.
std::string json_text(const boost::json::value& value);

/// Result of importing a file.
struct imported_file {
  std::string client;
  std::string path;
  /// Reason why the file could not be read; empty on success.
  std::string why_not;
  /// Line for each server, such as `github: taken`.
  std::vector<std::string> lines;
  std::size_t servers = 0;
  std::size_t taken = 0;
};

/// Configuration file made from the files of clients. Servers with identical entries are taken once. If a later server
/// has a taken name, or its tools could get the same names, its client's name is appended to its own.
class merged_import {
public:
  /// From a user's file with servers for each project, only those of `folder` are taken.
  explicit merged_import(std::string folder) : folder_(std::move(folder)) {}

  /// Adds the servers of a file with this text.
  imported_file add(const client_config& place, std::string text);

  bool empty() const { return servers_.empty(); }
  std::size_t size() const { return servers_.size(); }
  std::size_t secrets() const;
  /// Returns the names of the variables that have to be set.
  std::vector<std::string> variables() const;
  taken_secrets take_secrets();
  /// Returns the text of the file.
  std::string text(const std::string& schema) const;

private:
  struct kept {
    std::string name;
    std::string client;
    boost::json::object entry;
  };

  void add_all(const std::vector<found_server>& found, const import_source& source, imported_file& to);
  std::string add_one(const found_server& found, const import_source& source, imported_file& to);
  bool is_free(const std::string& name) const;
  std::string free_name(const std::string& name, const std::string& client) const;

  std::string folder_;
  std::vector<kept> servers_;
};

} // namespace troupe::deploy
