#pragma once

#include "deploy/import/client_places.hpp"
#include "deploy/import/imported_entry.hpp"
#include "deploy/import/secrets.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace troupe::deploy {

/// A value as people write it: members on lines of their own, two blanks deeper each, but what is short on one line.
std::string json_text(const boost::json::value& value);

/// What became of the servers of one file.
struct imported_file {
  std::string client;
  std::string path;
  /// Why it could not be read; empty when it could.
  std::string why_not;
  /// A line for each server, as `github: taken`.
  std::vector<std::string> lines;
  std::size_t servers = 0;
  std::size_t taken = 0;
};

/// Makes one file of many. Servers that are defined alike are taken once; of others with the same name, or whose tools
/// could get the same names, the later one has its client's name behind its own.
class merged_import {
public:
  /// `folder` is the one for whose sake servers of one folder are taken.
  explicit merged_import(std::string folder) : folder_(std::move(folder)) {}

  /// Takes the servers of a file with this text.
  imported_file add(const client_place& place, std::string text);

  bool empty() const { return servers_.empty(); }
  std::size_t size() const { return servers_.size(); }
  std::size_t secrets() const;
  /// Names of the variables that have to be set.
  std::vector<std::string> variables() const;
  taken_secrets take_secrets();
  /// The whole file.
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
