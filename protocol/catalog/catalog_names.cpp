// Tools and prompts: whose they are.

#include "protocol/catalog/catalog.hpp"
#include "protocol/catalog/merged_name.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Pages of one server's list that are searched for a name.
constexpr std::size_t searched_pages = 50;

std::optional<std::string_view> name_token(const message& of) {
  return of.method == "completion/complete" ? find_member(of.text, {"params", "ref", "name"})
                                            : find_member(of.text, {"params", "name"});
}

result_shape shape_of(std::string_view method) {
  return method == "tools/call"    ? result_shape::tool
         : method == "prompts/get" ? result_shape::prompt
                                   : result_shape::other;
}

std::string unknown(list_kind kind, std::string_view name) {
  return (kind == list_kind::tools ? "Unknown tool: " : "Unknown prompt: ") + std::string{name};
}

std::string error_of(const message& from) {
  auto token = find_member(from.text, {"error", "message"});
  auto text = token ? string_value(*token).value_or("") : "";
  return text.empty() ? "The MCP server does not list what it has" : text;
}

bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() + 2 && name.starts_with(prefix) && name.substr(prefix.size(), 2) == "__";
}

} // namespace

void catalog::call_named(message from, list_kind kind, effects& out) {
  auto token = name_token(from);
  auto name = token ? string_value(*token) : std::nullopt;
  if (!name)
    return refuse(from, error_code::invalid_params, "The name is missing", out);
  if (known_target(kind, *name))
    return end_search({std::move(from), kind}, out);
  auto servers = who_may_have(kind, *name);
  search_next({std::move(from), kind, std::move(servers)}, out);
}

void catalog::send_named(message from, const target& to, effects& out) {
  auto shape = shape_of(from.method);
  auto edits = std::vector{replacing(from.text, *name_token(from), quoted(to.original))};
  call(*to.server, spliced(std::move(from), std::move(edits)), shape, out);
}

std::optional<catalog::target> catalog::known_target(list_kind kind, std::string_view name) {
  auto known = names(kind).find(name);
  auto server = known ? find(known->server) : nullptr;
  return server ? std::optional{target{server, known->original}} : std::nullopt;
}

/// What a name says of itself. The longest prefix wins: one may begin with another.
std::optional<catalog::target> catalog::target_by_prefix(std::string_view name) {
  catalog_member* best = nullptr;
  for (auto& one : members_) {
    auto& prefix = one.server.prefix;
    if (!prefix.empty() && has_prefix(name, prefix) && (!best || prefix.size() > best->server.prefix.size()))
      best = &one;
  }
  if (best)
    return target{best, std::string{name.substr(best->server.prefix.size() + 2)}};
  auto plain = sole_unprefixed();
  return plain ? std::optional{target{find(plain->id()), std::string{name}}} : std::nullopt;
}

/// The servers that would have to be asked whose a name is, because it does not say: it may have been cut, or they
/// share a prefix. Empty when it says.
std::vector<std::uint64_t> catalog::who_may_have(list_kind kind, std::string_view name) const {
  auto cut = may_be_cut(name);
  std::vector<const catalog_member*> all;
  for (auto& one : members_) {
    auto& prefix = one.server.prefix;
    auto fits = prefix.empty() || (cut ? name.starts_with(name_stem(prefix)) : has_prefix(name, prefix));
    if (fits && (!one.capabilities || one.capabilities->has(group_of(kind))))
      all.push_back(&one);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](auto a, auto b) { return a->server.prefix.size() > b->server.prefix.size(); });
  auto differs = [&](auto one) { return one->server.prefix.size() != all.front()->server.prefix.size(); };
  if (!cut)
    all.erase(std::find_if(all.begin(), all.end(), differs), all.end());
  std::vector<std::uint64_t> result;
  for (auto one : all)
    result.push_back(one->id());
  return cut || result.size() > 1 ? result : std::vector<std::uint64_t>{};
}

// -- searching ---------------------------------------------------------------------

/// Asks the next server for its list.
void catalog::search_next(name_search search, effects& out) {
  while (!search.servers.empty() && !find(search.servers.front()))
    search.servers.erase(search.servers.begin());
  if (search.servers.empty())
    return end_search(std::move(search), out);
  search.pages = 0;
  search_page(std::move(search), {}, out);
}

void catalog::search_page(name_search search, std::string_view cursor, effects& out) {
  auto& server = *find(search.servers.front());
  auto id = search.request.id;
  auto text = R"({"jsonrpc":"2.0","id":0,"method":)" + quoted(list_method(search.kind));
  if (!cursor.empty())
    (text += R"(,"params":{"cursor":)") += std::string{cursor} + "}";
  member_call how{.server = server.id(), .why = reason::search, .client_id = id, .list = search.kind};
  ++search.pages;
  auto own = ask(server, made(text + "}"), std::move(how), out);
  calls_[id] = {{own}, std::move(search)};
}

void catalog::take_search_page(const member_call& asked, const message& from, effects& out) {
  auto search = std::move(std::get<name_search>(calls_.at(asked.client_id).what));
  std::string next;
  if (has_result(from.text)) {
    merged_items({asked.server, 0, from.text}, {search.kind, search.pages == 1});
    next = next_cursor(from.text);
  } else {
    search.failure = error_of(from);
  }
  if (known_target(search.kind, *string_value(*name_token(search.request))))
    return end_search(std::move(search), out);
  if (!next.empty() && search.pages < searched_pages && find(asked.server))
    return search_page(std::move(search), next, out);
  search.servers.erase(search.servers.begin());
  search_next(std::move(search), out);
}

/// Sends the call to where its name is known to belong by now, or says of itself that it does. It is not sent to
/// whoever is left when the server that may have it could not be asked.
void catalog::end_search(name_search search, effects& out) {
  calls_.erase(search.request.id);
  auto name = *string_value(*name_token(search.request));
  auto to = known_target(search.kind, name);
  if (!to && !search.failure.empty())
    return refuse(search.request, error_code::internal_error, search.failure, out);
  if (!to)
    to = target_by_prefix(name);
  if (to)
    send_named(std::move(search.request), *to, out);
  else
    refuse(search.request, error_code::invalid_params, unknown(search.kind, name), out);
}

} // namespace troupe::protocol
