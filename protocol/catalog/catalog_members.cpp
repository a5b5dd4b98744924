#include "protocol/catalog/catalog_members.hpp"

#include "protocol/catalog/merged_names.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

catalog_member* found(std::vector<catalog_member>& among, std::uint64_t server) {
  auto at = std::find_if(among.begin(), among.end(), [&](auto& one) { return one.id() == server; });
  return at == among.end() ? nullptr : &*at;
}

std::vector<std::uint64_t> ids_of(const std::vector<catalog_member>& all) {
  std::vector<std::uint64_t> result;
  for (auto& one : all)
    result.push_back(one.id());
  return result;
}

} // namespace

bool server_capabilities::has(list_group group) const {
  return group == list_group::tools ? tools : group == list_group::prompts ? prompts : resources;
}

server_capabilities read_server_capabilities(std::string_view result) {
  auto has = [&](std::string_view name) {
    auto value = find_member(result, {"capabilities", name});
    return value && value->front() == '{';
  };
  auto subscribe = find_member(result, {"capabilities", "resources", "subscribe"}) == "true";
  return {has("tools"), has("prompts"), has("resources"), subscribe, has("logging"), has("completions")};
}

server_capabilities merged(const server_capabilities& a, const server_capabilities& b) {
  return {a.tools || b.tools,         a.prompts || b.prompts, a.resources || b.resources,
          a.subscribe || b.subscribe, a.logging || b.logging, a.completions || b.completions};
}

std::string capabilities_text(const server_capabilities& what) {
  std::string result = "{";
  auto add = [&](bool present, std::string_view text) {
    if (present)
      (result += result.size() > 1 ? "," : "") += text;
  };
  add(what.tools, R"("tools":{"listChanged":true})");
  add(what.prompts, R"("prompts":{"listChanged":true})");
  add(what.resources && what.subscribe, R"("resources":{"subscribe":true,"listChanged":true})");
  add(what.resources && !what.subscribe, R"("resources":{"listChanged":true})");
  add(what.logging, R"("logging":{})");
  add(what.completions, R"("completions":{})");
  return result += "}";
}

std::string prefix_in_use(const catalog_server& of, bool is_alone) {
  return is_alone && of.plain_alone ? std::string{} : clean_prefix(of.prefix);
}

catalog_member::catalog_member(catalog_server configured) : server{std::move(configured)} {
  auto known = std::exchange(server.known, {});
  if (!json_error(known) && trimmed(known).front() == '{')
    learn(known);
}

void catalog_member::learn(std::string_view result) {
  capabilities = read_server_capabilities(result);
  instructions = string_member(result, {"instructions"});
}

bool catalog_member::may_list(list_group group) const {
  return !failed && capabilities.value_or(every_capability).has(group);
}

server_capabilities catalog_member::presumed() const { return capabilities.value_or(every_capability); }

bool catalog_member::drop_waiting(std::uint64_t own_id) {
  auto id = std::to_string(own_id);
  return std::erase_if(waiting, [&](const message& one) { return same_id(one.id, id); }) != 0;
}

catalog_members::catalog_members(std::vector<catalog_server> servers) {
  for (auto& one : servers)
    members_.emplace_back(std::move(one));
  set_prefixes();
}

void catalog_members::set_prefixes() {
  for (auto& one : members_)
    one.prefix = prefix_in_use(one.server, members_.size() == 1);
}

std::vector<std::uint64_t> catalog_members::ids() const { return ids_of(members_); }

catalog_member* catalog_members::find(std::uint64_t server) { return found(members_, server); }

catalog_member* catalog_members::find_named(std::string_view name) {
  auto at = std::find_if(members_.begin(), members_.end(), [&](auto& one) { return one.server.name == name; });
  return at == members_.end() ? nullptr : &*at;
}

const catalog_member* catalog_members::sole_unprefixed() const {
  const catalog_member* result = nullptr;
  for (auto& one : members_) {
    if (!one.prefix.empty())
      continue;
    if (result)
      return nullptr;
    result = &one;
  }
  return result;
}

std::vector<catalog_member> catalog_members::replace(std::vector<catalog_server> servers) {
  auto old = std::exchange(members_, {});
  for (auto& one : servers) {
    auto known = std::find_if(old.begin(), old.end(), [&](auto& member) { return member.id() == one.id; });
    if (known == old.end()) {
      members_.emplace_back(std::move(one));
    } else {
      members_.push_back(std::move(*known));
      old.erase(known);
    }
  }
  set_prefixes();
  return old;
}

void catalog_members::keep(catalog_member removed) { removed_.push_back(std::move(removed)); }

void catalog_members::forget(std::uint64_t removed) {
  std::erase_if(removed_, [&](auto& one) { return one.id() == removed; });
}

std::vector<std::uint64_t> catalog_members::removed() const { return ids_of(removed_); }

catalog_member* catalog_members::find_even_removed(std::uint64_t server) {
  auto member = find(server);
  return member ? member : found(removed_, server);
}

std::size_t catalog_members::waiting_bytes() const {
  std::size_t result = 0;
  for (auto& one : members_)
    for (auto& request : one.waiting)
      result += request.text.size();
  return result;
}

std::optional<owned_name> owner_of_unmarked(catalog_members& members, std::string_view name) {
  auto plain = members.sole_unprefixed();
  return plain ? std::optional{owned_name{members.find(plain->id()), std::string{name}}} : std::nullopt;
}

} // namespace troupe::protocol
