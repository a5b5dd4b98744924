#include "actors/session/guarded_servers.hpp"

#include "protocol/access/server_guard.hpp"
#include "protocol/catalog/merged_name.hpp"
#include "protocol/catalog/resource_uri.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace troupe::actors {

namespace {

using original_name = std::optional<std::string>;

/// A name that was cut says nothing of what it was: the server itself then tells that there is no such thing.
original_name name_within(const std::string& prefix, const protocol::named_thing& shown) {
  auto before = prefix.empty() ? std::string{} : prefix + "__";
  return shown.name.starts_with(before) ? original_name{shown.name.substr(before.size())} : std::nullopt;
}

using server_names = std::set<std::string, std::less<>>;

/// As `protocol::owner_of_uri` finds the server that has it: one that bears no mark is of the server without a prefix.
original_name uri_within(const std::string& server, bool has_unmarked, const server_names& all,
                         const protocol::named_thing& shown) {
  const auto is_ui = protocol::is_ui_uri(shown.name);
  if (has_unmarked && is_ui && all.size() == 1)
    return shown.name;
  if (auto read = protocol::read_merged_uri(shown.name); read && all.contains(read->server))
    return read->server == server ? original_name{std::move(read->original)} : std::nullopt;
  return has_unmarked && !is_ui ? original_name{shown.name} : std::nullopt;
}

std::string prefix_of(const member& one, bool is_alone) {
  return is_alone && one.server.plain_alone ? std::string{} : protocol::clean_prefix(one.server.prefix);
}

std::shared_ptr<const protocol::permissions> rules_or_none(const member& one) {
  return one.access ? one.access : std::make_shared<const protocol::permissions>();
}

} // namespace

std::vector<protocol::guarded_server> guarded_server_of(const std::shared_ptr<const protocol::permissions>& access) {
  if (!access)
    return {};
  return {{[](const protocol::named_thing& shown) { return original_name{shown.name}; }, access}};
}

std::vector<protocol::guarded_server> guarded_servers_of(const std::vector<member>& members) {
  std::vector<protocol::guarded_server> result;
  if (std::ranges::none_of(members, [](auto& one) { return one.access != nullptr; }))
    return result;
  const auto is_alone = members.size() == 1;
  auto names = std::make_shared<server_names>();
  for (auto& one : members)
    names->insert(one.server.name);
  for (auto& one : members) {
    auto prefix = prefix_of(one, is_alone);
    auto find = [prefix, names, server = one.server.name](const protocol::named_thing& shown) {
      return shown.kind == protocol::offered::resource ? uri_within(server, prefix.empty(), *names, shown)
                                                       : name_within(prefix, shown);
    };
    result.push_back({std::move(find), rules_or_none(one)});
  }
  return result;
}

std::vector<member> usable_members(std::vector<member> all, const protocol::caller& who) {
  if (all.size() > 1)
    for (auto& one : all)
      one.server.plain_alone = false;
  std::erase_if(all, [&](auto& one) {
    return one.access && one.access->to_server(protocol::principal_of(who)).is != protocol::permit::kind::allowed;
  });
  return all;
}

std::string rights_told(const protocol::caller& who) {
  if (!who)
    return {};
  auto result = protocol::scopes_told(*who);
  for (auto& group : std::set<std::string>(who->groups.begin(), who->groups.end()))
    result.append(" ").append(std::to_string(group.size())).append(":").append(group);
  return result;
}

} // namespace troupe::actors
