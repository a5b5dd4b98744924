#pragma once

#include "deploy/config/config_value.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// A key and the member function that reads its value.
template <class Reader>
struct config_key {
  std::string_view name;
  void (Reader::*read)(const config_value& value);
};

/// Reads a member by the function of its key; whether there is such a key.
template <class Reader>
bool read_by(const std::vector<config_key<Reader>>& keys, Reader& reader, const config_member& member) {
  const auto found = std::ranges::find(keys, member.name, &config_key<Reader>::name);
  if (found == keys.end())
    return false;
  (reader.*found->read)(member.value);
  return true;
}

/// The name that is most similar to a mistyped `name`; empty when none is similar.
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names);

/// Warns that a key is not known, and suggests the known key that may have been meant.
void warn_of_unknown(const config_member& member, const std::vector<std::string_view>& known);

} // namespace troupe::deploy
