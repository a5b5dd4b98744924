#include "protocol/catalog/named_calls.hpp"

#include "protocol/catalog/list_page.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

std::optional<std::string_view> uri_token(const message& of) {
  return of.is_method("completion/complete") ? find_member(of.text, {"params", "ref", "uri"})
                                             : find_member(of.text, {"params", "uri"});
}

/// Returns the error for an unknown resource (2025-11-25, resources, "Error Handling").
send_to_client unknown_resource(const message& request, const std::optional<std::string>& uri) {
  if (!uri)
    return refused(request, error_code::invalid_params, "The URI is missing");
  if (request.is_method("resources/read"))
    return refused(request, error_code::resource_not_found, "Resource not found: " + *uri);
  return refused(request, error_code::invalid_params, "Unknown resource: " + *uri);
}

/// Most pages of one server's list that are searched for a name.
constexpr std::size_t searched_pages = 50;

std::optional<std::string_view> named_token(const message& of) {
  return of.is_method("completion/complete") ? find_member(of.text, {"params", "ref", "name"}) : name_token(of);
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
  auto text = string_member(from.text, {"error", "message"});
  return text.empty() ? "The MCP server does not list what it has" : text;
}

} // namespace

void resource_calls::call(message from, catalog_effects& out) {
  auto token = uri_token(from);
  auto uri = token ? string_value(*token) : std::nullopt;
  auto to = uri ? owner_of_uri(sender_.members(), *uri) : std::nullopt;
  if (!to)
    return out.push_back(unknown_resource(from, uri));
  auto edits = std::vector{replacing(from.text, *token, quoted(to->original))};
  auto shape = from.is_method("resources/read") ? result_shape::read : result_shape::other;
  sender_.call(*to->owner, spliced(std::move(from), std::move(edits)), shape, out);
}

void named_calls::call(message from, list_kind kind, catalog_effects& out) {
  auto token = named_token(from);
  auto name = token ? string_value(*token) : std::nullopt;
  if (!name) {
    out.push_back(refused(from, error_code::invalid_params, "The name is missing"));
    return;
  }
  auto name_at = slice{static_cast<std::size_t>(token->data() - from.text.data()), token->size()};
  named_request one{std::move(from), std::move(*name), name_at};
  if (auto to = names_.known(kind, one.name))
    return send(std::move(one), *to, out);
  auto servers = names_.servers_to_search(kind, one.name);
  if (sender_.may_wait(one.request, servers.empty() ? 0 : 1, out))
    search_next({std::move(one), kind, std::move(servers)}, out);
}

void named_calls::send(named_request one, const owned_name& to, catalog_effects& out) {
  auto shape = shape_of(one.request.method);
  auto edits = std::vector{edit{one.name_at, quoted(to.original)}};
  sender_.call(*to.owner, spliced(std::move(one.request), std::move(edits)), shape, out);
}

// -- searching -----------------------------------------------------------------------

/// Requests the list of the first server.
void named_calls::search_next(search one, catalog_effects& out) {
  while (!one.servers.empty() && !sender_.members().find(one.servers.front()))
    one.servers.erase(one.servers.begin());
  if (one.servers.empty())
    return end(std::move(one), out);
  one.pages = 0;
  search_page(std::move(one), {}, out);
}

void named_calls::search_page(search one, std::string_view cursor, catalog_effects& out) {
  auto& server = *sender_.members().find(one.servers.front());
  auto text = R"({"jsonrpc":"2.0","id":0,"method":)" + quoted(list_method(one.kind));
  if (!cursor.empty())
    (text += R"(,"params":{"cursor":)") += std::string{cursor} + "}";
  member_request how{.server = server.id(),
                     .is = member_request::kind::search,
                     .id = one.what.request.id,
                     .list = one.kind,
                     .holds = one.what.request.text.size()};
  ++one.pages;
  auto list = gateway_message(text + "}");
  list.requester = one.what.request.requester;
  list.trace = one.what.request.trace;
  searches_.push_back(std::move(one));
  sender_.ask(server, std::move(list), std::move(how), out);
}

void named_calls::forget(std::string_view client_id) {
  searches_.remove_if([&](auto& one) { return one.what.request.id == client_id; });
}

void named_calls::receive_page(const member_request& asked, const message& from, catalog_effects& out) {
  auto at =
      std::find_if(searches_.begin(), searches_.end(), [&](auto& one) { return one.what.request.id == asked.id; });
  auto one = std::move(*at);
  searches_.erase(at);
  auto server = sender_.members().find(asked.server);
  std::string_view next;
  if (has_object_result(from.text)) {
    if (server)
      names_.learn(*server, from, one.kind, one.pages == 1, out);
    next = next_cursor(from.text, from.claims_modern);
  } else {
    one.failure = error_of(from);
  }
  if (names_.known(one.kind, one.what.name))
    return end(std::move(one), out);
  if (server && !next.empty() && one.pages < searched_pages)
    return search_page(std::move(one), next, out);
  one.servers.erase(one.servers.begin());
  search_next(std::move(one), out);
}

/// Sends the call to the server known for its name, or identified by the name's prefix. If a searched list was
/// unavailable, refuses the call: the prefix could select the wrong server.
void named_calls::end(search one, catalog_effects& out) {
  auto& [request, name, name_at] = one.what;
  auto to = names_.known(one.kind, name);
  if (!to && one.failure.empty())
    to = names_.by_prefix(name);
  if (to)
    send(std::move(one.what), *to, out);
  else if (!one.failure.empty())
    out.push_back(refused(request, error_code::internal_error, one.failure));
  else
    out.push_back(refused(request, error_code::invalid_params, unknown(one.kind, name)));
}

} // namespace troupe::protocol
