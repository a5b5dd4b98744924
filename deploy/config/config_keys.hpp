#pragma once

#include "deploy/config/config_value.hpp"
#include "protocol/options/server_rules.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Key, and the member function that reads its value.
template <class Reader>
struct config_key {
  std::string_view name;
  void (Reader::*read)(const config_value& value);
};

/// Reads a member with the function of its key; false if the key is unknown.
template <class Reader>
bool read_by(const std::vector<config_key<Reader>>& keys, Reader& reader, const config_member& member) {
  const auto found = std::ranges::find(keys, member.name, &config_key<Reader>::name);
  if (found == keys.end())
    return false;
  (reader.*found->read)(member.value);
  return true;
}

/// Returns the name most similar to a mistyped `name`; empty if none is similar.
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names);

/// Warns of an unknown key, and suggests the known key that may have been meant.
void warn_of_unknown(const config_member& member, const std::vector<std::string_view>& known);

// Rules for the values of a file, applied after variables are expanded.
using protocol::is_header_name;
using protocol::is_header_value;
using protocol::is_own_header;
using protocol::is_prefix;
using protocol::is_server_name;
using protocol::is_variable_name;
using protocol::largest_pool;
using protocol::most_attempts;
using protocol::most_connections;
using protocol::most_servers;

} // namespace troupe::deploy
