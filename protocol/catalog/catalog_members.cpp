#include "protocol/catalog/catalog_members.hpp"

#include "protocol/catalog/merged_name.hpp"

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

catalog_members::catalog_members(std::vector<catalog_server> servers) {
  for (auto& one : servers)
    members_.emplace_back(std::move(one));
  set_prefixes();
}

void catalog_members::set_prefixes() {
  for (auto& one : members_)
    one.prefix = members_.size() == 1 && one.server.plain_alone ? std::string{} : clean_prefix(one.server.prefix);
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

} // namespace troupe::protocol
