#include "protocol/catalog/name_table.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

template <class Test>
void name_table::erase_if(Test test) {
  for (auto i = entries_.begin(); i != entries_.end();) {
    if (!test(i->second)) {
      ++i;
      continue;
    }
    --listings_[i->second.what.server].names;
    i = entries_.erase(i);
  }
}

void name_table::set_servers(std::vector<std::uint64_t> order) {
  order_ = std::move(order);
  auto gone = [&](std::uint64_t server) { return std::find(order_.begin(), order_.end(), server) == order_.end(); };
  erase_if([&](const entry& one) { return gone(one.what.server); });
  std::erase_if(listings_, [&](const auto& one) { return gone(one.first); });
}

void name_table::begin(std::uint64_t server) { ++listings_[server].number; }

bool name_table::learn(std::uint64_t server, const std::string& name, std::string_view original, bool first_page) {
  auto found = entries_.find(name);
  if (found == entries_.end()) {
    add(server, name, original);
    return true;
  }
  auto& known = found->second;
  if (known.what.server != server && holds(known, server, first_page))
    return false;
  --listings_[known.what.server].names;
  entries_.erase(found);
  add(server, name, original);
  return true;
}

void name_table::add(std::uint64_t server, const std::string& name, std::string_view original) {
  auto& list = listings_[server];
  if (list.names == names_per_server)
    return;
  ++list.names;
  entries_[name] = {{server, std::string{original}}, list.number};
}

void name_table::complete(std::uint64_t server) {
  auto number = listings_[server].number;
  erase_if([&](const entry& one) { return one.what.server == server && one.listing != number; });
}

const known_name* name_table::find(std::string_view name) const {
  auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second.what;
}

bool name_table::precedes(std::uint64_t a, std::uint64_t b) const {
  return std::find(order_.begin(), order_.end(), a) < std::find(order_.begin(), order_.end(), b);
}

/// Whether a name stays with its server against another that has it, too. What its server had in an earlier list only
/// does not count.
bool name_table::holds(const entry& one, std::uint64_t against, bool first_page) const {
  auto list = listings_.find(one.what.server);
  if (list == listings_.end() || one.listing != list->second.number)
    return false;
  return !first_page || precedes(one.what.server, against);
}

} // namespace troupe::protocol
