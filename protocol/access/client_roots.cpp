#include "protocol/access/client_roots.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

constexpr std::string_view of_roots = "roots";
constexpr std::string_view ask_roots = "roots/list";

/// Calls `visit` with the value of each member that a server may read under this name.
template <class Visit>
void for_each_spelling(std::string_view object, std::string_view name, Visit visit) {
  for (object_reader members{object}; members.next();)
    if (is_spelling_of(members.key(), name))
      visit(members.value());
}

bool has_roots(std::string_view object) {
  bool result = false;
  for_each_spelling(object, of_roots, [&](auto) { result = true; });
  return result;
}

void cut_declaration(std::string_view text, std::string_view capabilities, std::vector<edit>& edits) {
  cut_members(
      text, capabilities, [](auto key, auto) { return is_spelling_of(key, of_roots); }, edits);
}

void cut_answers(std::string_view text, std::string_view responses, std::vector<edit>& edits) {
  cut_members(
      text, responses, [](auto, auto response) { return has_roots(response); }, edits);
}

} // namespace

std::optional<message> without_roots(message to_server) {
  if (to_server.is_method("notifications/roots/list_changed"))
    return std::nullopt;
  if (!to_server.is_method("initialize") && !to_server.claims_modern)
    return to_server;
  std::vector<edit> edits;
  const std::string_view text = to_server.text;
  auto cut = [&](std::string_view capabilities) { cut_declaration(text, capabilities, edits); };
  for_each_spelling(text, "params", [&](auto params) {
    for_each_spelling(params, "capabilities", cut);
    for_each_spelling(params, "_meta", [&](auto meta) { for_each_spelling(meta, meta_key::capabilities, cut); });
    for_each_spelling(params, "inputResponses", [&](auto responses) { cut_answers(text, responses, edits); });
  });
  return spliced(std::move(to_server), std::move(edits));
}

std::optional<message> refuse_roots_request(const message& from_server) {
  if (!is_request(from_server) || !from_server.is_method(ask_roots))
    return std::nullopt;
  return gateway_message(
      error_text(from_server.id, error_code::method_not_found, "Method not found: the client has declared no roots"));
}

message without_roots_question(message from_server) {
  if (from_server.kind != message_kind::response || from_server.text.find("input_required") == std::string::npos)
    return from_server;
  bool asks = false;
  auto questions = find_member(from_server.text, {"result", "inputRequests"}).value_or("");
  for (object_reader each{questions}; each.next();)
    asks = asks || string_member(each.value(), {"method"}) == ask_roots;
  if (!asks)
    return from_server;
  return gateway_message(
      error_text(from_server.id, error_code::internal_error,
                 "The server asks for roots, which the gateway does not pass to it: its \"roots\" is "
                 "\"none\", or the client is not on the gateway's machine"));
}

} // namespace troupe::protocol
