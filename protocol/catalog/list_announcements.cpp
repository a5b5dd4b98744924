#include "protocol/catalog/list_announcements.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::array kinds{list_kind::tools, list_kind::prompts, list_kind::resources, list_kind::templates};
constexpr std::array groups{list_group::tools, list_group::prompts, list_group::resources};

} // namespace

bool list_announcements::lack::misses(list_group group) const {
  for (auto kind : kinds)
    if (group_of(kind) == group && missing[static_cast<std::size_t>(kind)])
      return true;
  return false;
}

void list_announcements::lack::set(list_group group, bool whether) {
  for (auto kind : kinds)
    if (group_of(kind) == group)
      missing[static_cast<std::size_t>(kind)] = whether;
}

void list_announcements::included(std::uint64_t server, list_kind kind) {
  if (lacks_.contains(server))
    missing(server, kind) = false;
}

void list_announcements::came_late(std::uint64_t server, list_kind kind, catalog_effects& out) {
  if (lacks_.contains(server) && std::exchange(missing(server, kind), false))
    announce(group_of(kind), out);
}

void list_announcements::returned(std::uint64_t server, catalog_effects& out) {
  auto before = lacks_.extract(server);
  if (!before)
    return;
  for (auto group : groups)
    if (before.mapped().stale || before.mapped().misses(group))
      announce(group, out);
}

void list_announcements::announced(catalog_member& one, list_group group, message from, catalog_effects& out) {
  auto known = lacks_.find(one.id());
  auto stale = known != lacks_.end() && known->second.stale;
  if (one.is == catalog_member::phase::greeting || one.failed || stale) {
    lacks_[one.id()].set(group, true);
    return sender_.greet(one, out);
  }
  if (known != lacks_.end())
    known->second.set(group, false);
  if (greeting_.told().has(group))
    out.push_back(tell_client{std::move(from)});
}

void list_announcements::announce(list_group group, catalog_effects& out) const {
  if (greeting_.told().has(group))
    out.push_back(tell_client{made(R"({"jsonrpc":"2.0","method":)" + quoted(changed_method(group)) + "}")});
}

void list_announcements::announce_all(catalog_effects& out) const {
  for (auto group : groups)
    announce(group, out);
}

} // namespace troupe::protocol
