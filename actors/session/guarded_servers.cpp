#include "actors/session/guarded_servers.hpp"

#include "protocol/access/server_guard.hpp"
#include "protocol/catalog/merged_names.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace troupe::actors {

namespace {

std::string prefix_of(const member& one, bool is_alone) {
  return is_alone && one.server.plain_alone ? std::string{} : protocol::clean_prefix(one.server.prefix);
}

std::shared_ptr<const protocol::permissions> rules_or_none(const member& one) {
  return one.access ? one.access : std::make_shared<const protocol::permissions>();
}

struct known_server {
  std::string name;
  std::string prefix;
  std::shared_ptr<const protocol::permissions> rules;
};
using known_servers = std::vector<known_server>;
using things = std::vector<protocol::guarded_thing>;

/// A name that was cut says nothing of what it was: the server itself then tells that there is no such thing.
things things_meant_by(const std::string& shown, const known_servers& all) {
  things result;
  for (auto& one : all) {
    const auto before = one.prefix.empty() ? std::string{} : one.prefix + "__";
    if (shown.starts_with(before))
      result.push_back({shown.substr(before.size()), one.rules});
  }
  return result;
}

/// As `protocol::owner_of_uri` finds the server that has it: one that bears no mark is of the server without a prefix.
things resources_meant_by(const std::string& shown, const known_servers& all) {
  const auto is_ui = protocol::is_ui_uri(shown);
  if (is_ui && all.size() == 1 && all.front().prefix.empty())
    return {{shown, all.front().rules}};
  if (auto read = protocol::read_merged_uri(shown))
    if (auto of = std::ranges::find(all, read->server, &known_server::name); of != all.end())
      return {{std::move(read->original), of->rules}};
  things result;
  for (auto& one : all)
    if (one.prefix.empty() && !is_ui)
      result.push_back({shown, one.rules});
  return result;
}

} // namespace

protocol::guarded_things guarded_things_of(const std::shared_ptr<const protocol::permissions>& access) {
  if (!access)
    return nullptr;
  return [access](const protocol::named_thing& shown) { return things{{shown.name, access}}; };
}

protocol::guarded_things guarded_things_of(const std::vector<member>& members) {
  if (std::ranges::none_of(members, [](auto& one) { return one.access != nullptr; }))
    return nullptr;
  auto all = std::make_shared<known_servers>();
  for (auto& one : members)
    all->push_back({one.server.name, prefix_of(one, members.size() == 1), rules_or_none(one)});
  return [all](const protocol::named_thing& shown) {
    return shown.kind == protocol::offered::resource ? resources_meant_by(shown.name, *all)
                                                     : things_meant_by(shown.name, *all);
  };
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
