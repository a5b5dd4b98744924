#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/message/lists.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Most names remembered for each server, and the longest name that a server may give, in bytes.
inline constexpr std::size_t names_per_server = 10'000;
inline constexpr std::size_t longest_name = 1024;

/// Owner of a tool's or prompt's name in a merged list.
struct known_name {
  std::uint64_t server = 0;
  /// Name at the server itself.
  std::string original;
};

/// Names learned from the servers' lists. Each belongs to one server: the first in configured order, except that a
/// client that pages through a list never sees a name twice.
class name_table {
public:
  /// Sets the servers in configured order; forgets names of others.
  void set_servers(std::vector<std::uint64_t> order);

  /// Starts a new list of a server.
  void begin(std::uint64_t server);
  /// Adds a name from that list's first or a later page. False if it belongs to another server.
  bool learn(std::uint64_t server, const std::string& name, std::string_view original, bool first_page);
  /// Ends the list: forgets names that were not in it.
  void complete(std::uint64_t server);

  const known_name* find(std::string_view name) const;

private:
  struct entry {
    known_name what;
    std::uint64_t listing = 0;
  };
  struct listing {
    std::uint64_t number = 0;
    std::size_t names = 0;
  };

  bool precedes(std::uint64_t a, std::uint64_t b) const;
  bool holds(const entry& one, std::uint64_t against, bool first_page) const;
  void add(std::uint64_t server, const std::string& name, std::string_view original);
  template <class Test>
  void erase_if(Test test);

  std::vector<std::uint64_t> order_;
  std::map<std::uint64_t, listing> listings_;
  std::map<std::string, entry, std::less<>> entries_;
};

/// Finds the server of a tool or prompt by name: learned from the servers' lists, or read from the name's prefix.
class catalog_names {
public:
  explicit catalog_names(catalog_members& members);
  /// Takes over the new configuration.
  void servers_changed();

  /// Returns the items of a server's page for clients, as elements of a JSON array, and learns those of tools and
  /// prompts. Omits items without a name, and those whose name belongs to another server.
  std::string learn(const catalog_member& of, const message& answer, list_kind kind, bool first_page,
                    catalog_effects& out);

  /// Returns the server of a learned name; empty for other names.
  std::optional<owned_name> known(list_kind kind, std::string_view name);
  /// Returns the server whose prefix a name has. The longest prefix wins, as one may begin with another.
  std::optional<owned_name> by_prefix(std::string_view name);
  /// Returns the servers whose lists must be searched for a name. Empty if its prefix identifies the server. It does
  /// not if the name may have been cut, or if several servers share the prefix.
  std::vector<std::uint64_t> servers_to_search(list_kind kind, std::string_view name) const;

private:
  std::string item(const catalog_member& of, std::string_view item, list_kind kind, bool first_page,
                   catalog_effects& out);
  std::optional<std::string> key(const catalog_member& of, std::string_view original, list_kind kind, bool first_page,
                                 catalog_effects& out);
  void report_hidden(const catalog_member& of, const std::string& name, list_kind kind, catalog_effects& out);
  name_table& table(list_kind kind) { return tables_[kind == list_kind::prompts ? 1 : 0]; }

  catalog_members& members_;
  /// Tables for tools and for prompts.
  std::array<name_table, 2> tables_;
  /// Prefixes of the servers in the last configuration.
  std::map<std::uint64_t, std::string> prefixes_;
  /// Hidden names already reported.
  std::set<name_hidden> told_;
};

} // namespace troupe::protocol
