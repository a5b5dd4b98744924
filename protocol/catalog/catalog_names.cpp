#include "protocol/catalog/catalog_names.hpp"

#include "protocol/catalog/list_page.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/catalog/merged_names.hpp"
#include "protocol/message/splice.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Most hidden names that one session reports.
constexpr std::size_t most_told = 100;

bool has_names(list_kind kind) { return kind == list_kind::tools || kind == list_kind::prompts; }

bool has_prefix(std::string_view name, std::string_view prefix) {
  const auto original = read_merged_name(name, prefix);
  return original && !original->empty();
}

bool may_bear(const catalog_member& one, std::string_view name, bool cut) {
  auto& prefix = one.prefix;
  return prefix.empty() || (cut ? name.starts_with(name_stem(prefix)) : has_prefix(name, prefix));
}

} // namespace

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

/// True if a name stays with its server although another has it too. A name that is only in an older list of its server
/// does not stay.
bool name_table::holds(const entry& one, std::uint64_t against, bool first_page) const {
  auto list = listings_.find(one.what.server);
  if (list == listings_.end() || one.listing != list->second.number)
    return false;
  return !first_page || precedes(one.what.server, against);
}

catalog_names::catalog_names(catalog_members& members) : members_{members} { servers_changed(); }

/// Forgets the names of servers whose prefix has changed.
void catalog_names::servers_changed() {
  std::vector<std::uint64_t> same;
  auto before = std::exchange(prefixes_, {});
  for (auto& one : members_.all()) {
    prefixes_.emplace(one.id(), one.prefix);
    if (auto known = before.find(one.id()); known != before.end() && known->second == one.prefix)
      same.push_back(one.id());
  }
  for (auto& one : tables_) {
    one.set_servers(same);
    one.set_servers(members_.ids());
  }
}

// -- learning ------------------------------------------------------------------------

std::string catalog_names::learn(const catalog_member& of, const message& answer, list_kind kind, bool first_page,
                                 catalog_effects& out) {
  auto items = find_member(answer.text, {"result", items_member(kind)}).value_or("");
  if (first_page && has_names(kind))
    table(kind).begin(of.id());
  std::string result;
  for (array_reader each{items}; each.next();)
    if (auto one = item(of, each.value(), kind, first_page, out); !one.empty())
      result += (result.empty() ? "" : ",") + one;
  if (has_names(kind) && next_cursor(answer.text, answer.claims_modern).empty())
    table(kind).complete(of.id());
  return result;
}

/// Returns the item under the name for clients; empty if it has no name, or another server's.
std::string catalog_names::item(const catalog_member& of, std::string_view item, list_kind kind, bool first_page,
                                catalog_effects& out) {
  auto token = find_member(item, {key_member(kind)});
  auto original = token ? string_value(*token) : std::nullopt;
  auto seen = original ? key(of, *original, kind, first_page, out) : std::nullopt;
  if (!seen)
    return {};
  std::vector<edit> edits;
  if (kind == list_kind::tools)
    edits = tool_uris(item, [&](std::string_view uri) { return client_uri(members_, of, uri); });
  edits.push_back(replacing(item, *token, quoted(*seen)));
  return spliced(item, std::move(edits));
}

std::optional<std::string> catalog_names::key(const catalog_member& of, std::string_view original, list_kind kind,
                                              bool first_page, catalog_effects& out) {
  if (!has_names(kind))
    return client_uri(members_, of, original);
  auto name = merged_name(of.server.name, of.prefix, original);
  if (original.size() > longest_name)
    return std::nullopt;
  if (table(kind).learn(of.id(), name, original, first_page))
    return name;
  report_hidden(of, name, kind, out);
  return std::nullopt;
}

void catalog_names::report_hidden(const catalog_member& of, const std::string& name, list_kind kind,
                                  catalog_effects& out) {
  name_hidden what{kind, name, table(kind).find(name)->server, of.id()};
  if (told_.size() < most_told && told_.insert(what).second)
    out.push_back(std::move(what));
}

// -- finding -------------------------------------------------------------------------

std::optional<owned_name> catalog_names::known(list_kind kind, std::string_view name) {
  auto known = table(kind).find(name);
  auto server = known ? members_.find(known->server) : nullptr;
  return server ? std::optional{owned_name{server, known->original}} : std::nullopt;
}

std::optional<owned_name> catalog_names::by_prefix(std::string_view name) {
  catalog_member* best = nullptr;
  for (auto& one : members_.all()) {
    auto& prefix = one.prefix;
    if (!prefix.empty() && has_prefix(name, prefix) && (!best || prefix.size() > best->prefix.size()))
      best = &one;
  }
  if (best)
    return owned_name{best, std::string{*read_merged_name(name, best->prefix)}};
  return owner_of_unmarked(members_, name);
}

std::vector<std::uint64_t> catalog_names::servers_to_search(list_kind kind, std::string_view name) const {
  auto cut = may_be_cut(name);
  std::vector<const catalog_member*> all;
  for (auto& one : members_.all())
    if (may_bear(one, name, cut) && (!one.capabilities || one.capabilities->has(group_of(kind))))
      all.push_back(&one);
  std::stable_sort(all.begin(), all.end(), [](auto a, auto b) { return a->prefix.size() > b->prefix.size(); });
  auto differs = [&](auto one) { return one->prefix.size() != all.front()->prefix.size(); };
  if (!cut)
    all.erase(std::find_if(all.begin(), all.end(), differs), all.end());
  std::vector<std::uint64_t> result;
  for (auto one : all)
    result.push_back(one->id());
  return cut || result.size() > 1 ? result : std::vector<std::uint64_t>{};
}

} // namespace troupe::protocol
