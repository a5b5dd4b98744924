#pragma once

#include "protocol/catalog/catalog_member.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The servers of one session in configured order, and those that were removed from the configuration while they still
/// had calls to answer. Pointers to them are good until the configuration changes or a server is forgotten.
class catalog_members {
public:
  explicit catalog_members(std::vector<catalog_server> servers);
  // No copies: others hold pointers into it.
  catalog_members(const catalog_members&) = delete;
  catalog_members& operator=(const catalog_members&) = delete;

  std::vector<catalog_member>& all() { return members_; }
  const std::vector<catalog_member>& all() const { return members_; }
  std::vector<std::uint64_t> ids() const;
  /// A configured server; nullptr when there is none of that id.
  catalog_member* find(std::uint64_t server);
  catalog_member* find_named(std::string_view name);
  /// The only server without a prefix, to which names and URIs without any prefix belong. nullptr when there is none,
  /// or several.
  const catalog_member* sole_unprefixed() const;

  /// Other servers are configured; those that stay go on as they are. Gives the others.
  std::vector<catalog_member> replace(std::vector<catalog_server> servers);
  /// A server that was removed is kept until it is forgotten.
  void keep(catalog_member removed);
  void forget(std::uint64_t removed);
  std::vector<std::uint64_t> removed() const;
  catalog_member* find_even_removed(std::uint64_t server);

  /// Size of all requests that wait for servers to be initialised, in bytes.
  std::size_t waiting_bytes() const;

private:
  void set_prefixes();

  std::vector<catalog_member> members_;
  std::vector<catalog_member> removed_;
};

} // namespace troupe::protocol
