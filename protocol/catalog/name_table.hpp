#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

} // namespace troupe::protocol
