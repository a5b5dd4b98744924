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

/// Names that are remembered of each server, and the longest that a server may give.
inline constexpr std::size_t names_per_server = 10'000;
inline constexpr std::size_t longest_name = 1024;

/// Which server's tool, or prompt, bears a name of the merged list.
struct known_name {
  std::uint64_t server = 0;
  /// What the server itself calls it.
  std::string original;
};

/// Names as they were learned from the servers' lists. A name belongs to one server: the first in configured order, but
/// a client that pages through a list never sees a name twice.
class name_table {
public:
  /// The servers in configured order; names of others are forgotten.
  void set_servers(std::vector<std::uint64_t> order);

  /// A server's list begins anew.
  void begin(std::uint64_t server);
  /// A name of that list, on its first page or a later one. False when it is another server's.
  bool learn(std::uint64_t server, const std::string& name, std::string_view original, bool first_page);
  /// The list is complete: what it did not have is forgotten.
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

/// Finds the server that has a tool or a prompt: learned from the servers' lists, or read from the prefix of the name.
class catalog_names {
public:
  explicit catalog_names(catalog_members& members);
  /// Other servers are configured.
  void servers_changed();

  /// The items of a server's page as clients see them, the elements of a JSON array. Those of tools and prompts are
  /// learned. Items without a name and those whose name is another server's are left out.
  std::string learn(const catalog_member& of, const message& answer, list_kind kind, bool first_page,
                    catalog_effects& out);

  /// The server of a name that was learned; none for other names.
  std::optional<owned_name> known(list_kind kind, std::string_view name);
  /// The server whose prefix a name has. The longest prefix wins: one may begin with another.
  std::optional<owned_name> by_prefix(std::string_view name);
  /// The servers whose lists have to be searched for a name, because its prefix does not tell: the name may have been
  /// cut, or several share the prefix. Empty when it does.
  std::vector<std::uint64_t> who_may_have(list_kind kind, std::string_view name) const;

private:
  std::string item(const catalog_member& of, std::string_view item, list_kind kind, bool first_page,
                   catalog_effects& out);
  std::optional<std::string> key(const catalog_member& of, std::string_view original, list_kind kind, bool first_page,
                                 catalog_effects& out);
  void tell_hidden(const catalog_member& of, const std::string& name, list_kind kind, catalog_effects& out);
  name_table& table(list_kind kind) { return tables_[kind == list_kind::prompts ? 1 : 0]; }

  catalog_members& members_;
  /// Of tools, and of prompts.
  std::array<name_table, 2> tables_;
  /// The prefixes that the servers had when they were configured last.
  std::map<std::uint64_t, std::string> prefixes_;
  /// Names that were told to be hidden.
  std::set<name_hidden> told_;
};

} // namespace troupe::protocol
