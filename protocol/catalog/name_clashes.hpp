#pragma once

#include "protocol/catalog/catalog_effects.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Names that are remembered as left out, of all servers of a gateway together.
inline constexpr std::size_t most_name_clashes = 1000;

/// The tools and prompts that are left out of merged lists because another server has one of that name, as the sessions
/// of a gateway have found them.
class name_clashes {
public:
  /// Whether this was new. Not when as many are known as are remembered.
  bool add(name_hidden one);
  /// Other servers are configured; names of others are forgotten.
  void keep_only(const std::vector<std::uint64_t>& servers);

  const std::set<name_hidden>& all() const { return all_; }

private:
  std::set<name_hidden> all_;
};

/// Says what is wrong and what helps, in one line; names the servers.
std::string clash_text(const name_hidden& what, std::string_view shown, std::string_view hidden);

} // namespace troupe::protocol
