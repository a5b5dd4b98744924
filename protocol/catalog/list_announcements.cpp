#include "protocol/catalog/list_announcements.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

constexpr std::array kinds{list_kind::tools, list_kind::prompts, list_kind::resources, list_kind::templates};
constexpr std::array groups{list_group::tools, list_group::prompts, list_group::resources};

std::size_t index(list_kind kind) { return static_cast<std::size_t>(kind); }

} // namespace

bool list_announcements::lack::misses(list_group group) const {
  return std::any_of(kinds.begin(), kinds.end(),
                     [&](auto kind) { return group_of(kind) == group && missing[index(kind)]; });
}

bool list_announcements::lack::has_failures() const {
  return std::ranges::any_of(failed_page, [](auto& one) { return one.has_value(); });
}

void list_announcements::lack::set(list_group group, bool whether) {
  for (auto kind : kinds)
    if (group_of(kind) == group)
      missing[index(kind)] = whether;
}

const list_announcements::lack* list_announcements::find(std::uint64_t server) const {
  auto at = std::find_if(lacks_.begin(), lacks_.end(), [&](auto& one) { return one.server == server; });
  return at == lacks_.end() ? nullptr : &*at;
}

list_announcements::lack* list_announcements::find(std::uint64_t server) {
  return const_cast<lack*>(std::as_const(*this).find(server));
}

list_announcements::lack& list_announcements::lack_of(std::uint64_t server) {
  auto known = find(server);
  return known ? *known : lacks_.emplace_back(lack{.server = server});
}

// -- the client's lists --------------------------------------------------------------

void list_announcements::left_out(std::uint64_t server, list_kind kind) { lack_of(server).missing[index(kind)] = true; }

void list_announcements::server_missing(std::uint64_t server, catalog_effects& out) {
  auto& one = lack_of(server);
  if (!std::exchange(one.is_reported, true))
    out.push_back(list_part_failed{{server, std::nullopt}, one.why_down});
}

std::uint64_t list_announcements::expect_late(std::uint64_t server, list_kind kind, std::uint64_t own) {
  return std::exchange(lack_of(server).late[index(kind)], own);
}

std::optional<std::uint64_t> list_announcements::failed_page(const member_list& which) const {
  const auto known = find(which.server);
  return known ? known->failed_page[index(which.kind)] : std::nullopt;
}

void list_announcements::failed(const member_list& which, std::uint64_t page, std::string why, catalog_effects& out) {
  lack_of(which.server).failed_page[index(which.kind)] = page;
  out.push_back(list_part_failed{which, std::move(why)});
}

void list_announcements::recovered(lack& of, list_kind kind, catalog_effects& out) {
  if (std::exchange(of.failed_page[index(kind)], std::nullopt))
    out.push_back(list_part_recovered{{of.server, kind}});
}

void list_announcements::answered_late(std::uint64_t server, list_kind kind, catalog_effects& out) {
  if (auto known = find(server))
    recovered(*known, kind, out);
}

void list_announcements::came_late(std::uint64_t server, list_kind kind, catalog_effects& out) {
  auto known = find(server);
  if (known && std::exchange(known->missing[index(kind)], false))
    announce(group_of(kind), out);
}

void list_announcements::included(std::uint64_t server, list_kind kind, catalog_effects& out) {
  auto known = find(server);
  if (!known)
    return;
  recovered(*known, kind, out);
  known->missing[index(kind)] = false;
}

// -- servers -------------------------------------------------------------------------

void list_announcements::returned(std::uint64_t server, catalog_effects& out) {
  auto known = find(server);
  if (!known)
    return;
  if (known->is_reported)
    out.push_back(list_part_recovered{{server, std::nullopt}});
  for (auto group : groups)
    if (known->stale || known->misses(group))
      announce(group, out);
  if (known->has_failures())
    *known = lack{.server = server, .failed_page = known->failed_page};
  else
    removed(server);
}

void list_announcements::removed(std::uint64_t server) {
  std::erase_if(lacks_, [&](auto& one) { return one.server == server; });
}

void list_announcements::announced(catalog_member& one, list_group group, message from, catalog_effects& out) {
  auto known = find(one.id());
  if (one.is == catalog_member::phase::greeting || one.failed || (known && known->stale)) {
    lack_of(one.id()).set(group, true);
    return sender_.greet(one, out);
  }
  if (known)
    known->set(group, false);
  if (greeting_.declared().has(group))
    out.push_back(send_to_client{std::move(from)});
}

/// Announces only lists that were declared to the client.
void list_announcements::announce(list_group group, catalog_effects& out) const {
  if (greeting_.declared().has(group))
    out.push_back(
        send_to_client{gateway_message(R"({"jsonrpc":"2.0","method":)" + quoted(changed_method(group)) + "}")});
}

void list_announcements::announce_all(catalog_effects& out) const {
  for (auto group : groups)
    announce(group, out);
}

} // namespace troupe::protocol
