#include "protocol/http/stateless_request.hpp"

#include "protocol/http/stateless_fields.hpp"
#include "protocol/message/client_methods.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/error_data.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/message/meta_keys.hpp"
#include "protocol/message/removed_methods.hpp"

#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

// -- the rules, in the order in which they refuse --------------------------------------

/// Which versions are served is said where a client looks for it that knows sessions only.
std::optional<rejection> refuse_strayed_initialize(const message& request) {
  if (!is_initialize(request) || request.claims_modern)
    return std::nullopt;
  return header_mismatch("MCP-Protocol-Version names a revision that has no initialize; supported versions: " +
                             std::string{newest_stateless_version} + " without it, and with it " +
                             std::string{newest_session_version} + " and earlier",
                         request);
}

/// 2026-07-28, basic, "Versioning"
std::optional<rejection> refuse_other_version(const request_envelope& envelope, const message& request) {
  if (envelope.version == newest_stateless_version)
    return std::nullopt;
  rejection result{400, error_code::unsupported_stateless_version,
                   "Unsupported protocol version: requests with _meta speak " + std::string{newest_stateless_version} +
                       "; begin with initialize to speak " + std::string{newest_session_version} + " or earlier",
                   request.id};
  result.body = error_text(request.id, result.code, result.text,
                           R"({"supported":[)" + quoted(newest_stateless_version) + R"(],"requested":)" +
                               quoted(envelope.version) + "}");
  return result;
}

/// 2026-07-28, changelog
std::optional<rejection> refuse_removed_method(const message& request) {
  auto found = find_removed_method(request.method);
  if (!found)
    return std::nullopt;
  return rejection{404, error_code::method_not_found,
                   "Method not found: " + std::string{newest_stateless_version} + " has no " + request.method + "; " +
                       std::string{found->instead},
                   request.id};
}

/// 2026-07-28, schema, "SubscriptionsListenRequest"
std::optional<rejection> refuse_listen(const message& request) {
  if (!request.is_method("subscriptions/listen"))
    return std::nullopt;
  auto wanted = find_member(request.text, {"params", "notifications"});
  if (wanted && wanted->starts_with('{'))
    return std::nullopt;
  return rejection{400, error_code::invalid_params,
                   "Invalid params: params.notifications must be an object: what to be told of", request.id};
}

std::optional<rejection> refuse_stateless(const known_fields& fields, const stateless_fields& further,
                                          const request_envelope& envelope, const message& request) {
  if (auto bad = refuse_version_field(fields.version, envelope.version, request))
    return bad;
  if (auto bad = refuse_other_version(envelope, request))
    return bad;
  if (auto bad = refuse_routing_fields(further, request))
    return bad;
  if (auto bad = refuse_removed_method(request))
    return bad;
  if (auto bad = refuse_doubled_params(request))
    return bad;
  if (auto bad = refuse_affinity(further.affinity, request))
    return bad;
  return refuse_listen(request);
}

// -- what passed these rules -----------------------------------------------------------

parsed_request read_alone(const http_request& from, const known_fields& fields, std::string server, message request) {
  if (auto bad = refuse_strayed_initialize(request))
    return std::move(*bad);
  auto read = read_envelope(request);
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(*bad);
  auto& envelope = std::get<request_envelope>(read);
  stateless_fields further{from.fields};
  if (auto bad = refuse_stateless(fields, further, envelope, request))
    return std::move(*bad);
  envelope.arguments = std::move(further.arguments);
  envelope.affinity = further.affinity.value;
  return wants_answer{std::move(server), std::move(request), std::move(envelope)};
}

/// Whether a message has the `_meta` of a revision without sessions.
bool claims_modern(const message& one) {
  return one.claims_modern || (one.kind == message_kind::notification &&
                               find_member(one.text, {"params", "_meta", meta_key::version}).has_value());
}

} // namespace

bool is_stateless(std::string_view version, const std::variant<post_body, rejection>& body) {
  auto read = std::get_if<post_body>(&body);
  return is_modern_version(version) || (read && !read->batch && claims_modern(read->messages.front()));
}

parsed_request read_stateless(const http_request& request, const known_fields& fields, std::string server,
                              std::variant<post_body, rejection> body) {
  if (auto bad = std::get_if<rejection>(&body))
    return std::move(*bad);
  auto& all = std::get<post_body>(body);
  if (all.batch)
    return refusal(400, "Invalid Request: this revision has no batches; send each request alone");
  auto& one = all.messages.front();
  if (one.kind == message_kind::response)
    return refusal(400, "Invalid Request: this revision has no responses of clients; a retry of the request answers");
  if (auto bad = refuse_form_of(one))
    return std::move(*bad);
  if (one.kind == message_kind::notification)
    return wants_nothing{};
  return read_alone(request, fields, std::move(server), std::move(one));
}

} // namespace troupe::protocol
