#include "protocol/http/stateless_request.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/mcp_headers.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

/// Params that decide where a request goes, or that have a rule here.
constexpr std::array<std::string_view, 8> looked_at{"_meta",     "name",           "uri",          "taskId",
                                                    "arguments", "inputResponses", "requestState", "notifications"};

/// 2026-07-28, transports, "Standard Headers"
std::optional<rejection> refuse_method_field(const known_fields::field& method, const message& request) {
  if (method.count == 0)
    return header_mismatch("Mcp-Method is missing; it repeats the method of the request", request);
  if (method.count > 1)
    return header_mismatch("Mcp-Method may come once", request);
  if (!request.is_method(method.value))
    return header_mismatch("Mcp-Method is not the method of the request", request);
  return std::nullopt;
}

/// Returns all values of a param; peers disagree on which of several counts.
std::vector<std::string_view> values_of_param(const message& of, std::string_view name) {
  std::vector<std::string_view> result;
  for (object_reader params{member_start(of.text, {"params"}).value_or("{}")}; params.next();)
    if (params.key() == name)
      result.push_back(params.value());
  return result;
}

/// 2026-07-28, transports, "Standard Headers". A request without a name needs no field: the server reports the lack.
std::optional<rejection> refuse_name_field(const known_fields::field& field, const message& request) {
  const auto param = naming_param(request);
  if (param.empty())
    return std::nullopt;
  const auto named = values_of_param(request, param);
  const auto which = "params." + std::string{param};
  if (field.count == 0 && named.empty())
    return std::nullopt;
  if (field.count == 0)
    return header_mismatch("Mcp-Name is missing; it repeats " + which, request);
  if (field.count > 1)
    return header_mismatch("Mcp-Name may come once", request);
  const auto name = decoded_header(field.value);
  if (!name)
    return header_mismatch("Mcp-Name has the marks of base64, but no base64 of UTF-8 between them", request);
  auto is_same = [&](std::string_view token) { return string_value(token) == name; };
  if (named.empty() || !std::ranges::all_of(named, is_same))
    return header_mismatch("Mcp-Name is not " + which, request);
  return std::nullopt;
}

// -- the rules, in the order in which they refuse --------------------------------------

/// Refuses a stray `initialize`; lists the served versions where a client that knows only sessions looks for them.
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

// -- requests that passed these rules --------------------------------------------------

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
  return stateless_post{std::move(server), std::move(request), std::move(envelope)};
}

/// Whether a message has the `_meta` of a revision without sessions.
bool claims_modern(const message& one) {
  return one.claims_modern ||
         (is_notification(one) && find_member(one.text, {"params", "_meta", meta_key::version}).has_value());
}

} // namespace

stateless_fields::stateless_fields(const std::vector<http_field>& fields) {
  for (auto& one : fields)
    note(one);
}

void stateless_fields::note(const http_field& one) {
  constexpr std::string_view argument = "Mcp-Param-";
  if (same_word(one.name, "Mcp-Method"))
    method.note(one.value);
  else if (same_word(one.name, "Mcp-Name"))
    name.note(one.value);
  else if (same_word(one.name, "Troupe-Affinity"))
    affinity.note(one.value);
  else if (same_word(one.name.substr(0, argument.size()), argument))
    arguments.emplace_back(one.name.substr(argument.size()), without_blanks(one.value));
}

rejection header_mismatch(std::string why, const message& request) {
  return {400, error_code::header_mismatch, "Header mismatch: " + std::move(why), request.id};
}

std::optional<rejection> refuse_version_field(const known_fields::field& version, std::string_view claimed,
                                              const message& request) {
  if (version.count == 0)
    return header_mismatch("MCP-Protocol-Version is missing; it repeats the version in params._meta", request);
  if (version.count > 1)
    return header_mismatch("MCP-Protocol-Version may come once", request);
  if (version.value != claimed)
    return header_mismatch("MCP-Protocol-Version is not the version in params._meta", request);
  return std::nullopt;
}

std::optional<rejection> refuse_routing_fields(const stateless_fields& fields, const message& request) {
  auto bad = refuse_method_field(fields.method, request);
  return bad ? bad : refuse_name_field(fields.name, request);
}

std::optional<rejection> refuse_doubled_params(const message& request) {
  std::array<bool, looked_at.size()> is_there{};
  for (object_reader params{member_start(request.text, {"params"}).value_or("{}")}; params.next();)
    if (auto at = std::ranges::find(looked_at, params.key()); at != looked_at.end())
      if (std::exchange(is_there[static_cast<std::size_t>(at - looked_at.begin())], true))
        return rejection{400, error_code::invalid_params,
                         "Invalid params: params." + std::string{*at} + " is there twice", request.id};
  return std::nullopt;
}

std::optional<rejection> refuse_affinity(const known_fields::field& affinity, const message& request) {
  auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  if (affinity.count == 0)
    return std::nullopt;
  if (affinity.count == 1 && !affinity.value.empty() && affinity.value.size() <= longest_affinity &&
      std::ranges::all_of(affinity.value, is_visible))
    return std::nullopt;
  return rejection{400, error_code::invalid_request,
                   "Bad Request: Troupe-Affinity may come once, with 1 to " + std::to_string(longest_affinity) +
                       " characters of visible ASCII",
                   request.id};
}

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
  if (is_notification(one))
    return dropped_notification{};
  return read_alone(request, fields, std::move(server), std::move(one));
}

} // namespace troupe::protocol
