#include "protocol/http/http.hpp"

#include "protocol/http/entry.hpp"
#include "protocol/http/known_fields.hpp"
#include "protocol/http/stateless_request.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/initialize_request.hpp"
#include "protocol/readiness.hpp"
#include "protocol/text/http_syntax.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::string_view mcp_methods = "GET, POST, DELETE";
constexpr std::string_view json_type = "application/json";

// -- the rules, in the order in which they refuse --------------------------------------

std::optional<rejection> refuse_media(std::string_view method, const known_fields& fields) {
  auto post = method == "POST";
  if (post && !is_json_type(fields.content_type.value))
    return refusal(415, "Unsupported Media Type: Content-Type must be application/json");
  if (post && !fields.accepts_json)
    return refusal(406, "Not Acceptable: Accept must list application/json and text/event-stream");
  if (method != "DELETE" && !fields.accepts_events)
    return refusal(406, "Not Acceptable: Accept must list text/event-stream");
  return std::nullopt;
}

std::optional<rejection> refuse_session_id(const known_fields& fields) {
  if (fields.session.count > 1)
    return refusal(400, "Bad Request: Mcp-Session-Id may come once");
  if (!fields.session.value.empty() && !valid_session_id(fields.session.value))
    return refusal(400, "Bad Request: Mcp-Session-Id is malformed");
  return std::nullopt;
}

std::optional<rejection> refuse_repeated_version(const known_fields& fields) {
  if (fields.version.count > 1)
    return refusal(400, "Bad Request: MCP-Protocol-Version may come once");
  return std::nullopt;
}

std::optional<rejection> refuse_form(const known_fields& fields) {
  auto bad = refuse_repeated_version(fields);
  return bad ? bad : refuse_session_id(fields);
}

bool begins_session(const post_body& body) { return !body.batch && is_initialize(body.messages.front()); }

/// Checks `initialize` before there is a session, so that none begins in vain and no server receives harmful input.
std::optional<rejection> refuse_bad_initialize(const post_body& body) {
  return begins_session(body) ? refuse_initialize(body.messages.front()) : std::nullopt;
}

rejection session_missing(const post_body* body) {
  auto result = refusal(400, "Bad Request: Mcp-Session-Id header is required");
  if (body && !body->batch && is_request(body->messages.front()))
    result.id = body->messages.front().id;
  return result;
}

// -- requests that passed these rules --------------------------------------------

/// Reads a POST. `initialize` begins a session, regardless of its session id: otherwise a client that sends the id of
/// an ended session, or `undefined`, would never get out of 404 (2025-11-25, transports, "Session Management" 4).
parsed_request read_post(http_request& request, const known_fields& fields, std::string server) {
  auto read = read_client_body(std::move(request.body));
  if (is_stateless(fields.version.value, read))
    return read_stateless(request, fields, std::move(server), std::move(read));
  const auto* said = std::get_if<post_body>(&read);
  const auto begins = said && begins_session(*said);
  if (auto bad = begins ? refuse_repeated_version(fields) : refuse_form(fields))
    return std::move(*bad);
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(*bad);
  auto& body = std::get<post_body>(read);
  if (auto bad = refuse_era(fields.version.value, body))
    return std::move(*bad);
  if (auto bad = refuse_bad_initialize(body))
    return std::move(*bad);
  auto session = begins ? std::string_view{} : fields.session.value;
  if (session.empty() && !begins)
    return session_missing(&body);
  return post_request{std::move(server), std::string{session}, std::move(body)};
}

parsed_request read_bodiless(const http_request& request, const known_fields& fields, std::string server) {
  if (auto bad = refuse_form(fields))
    return std::move(*bad);
  if (auto bad = refuse_version(fields.version.value))
    return std::move(*bad);
  auto session = fields.session.value;
  if (session.empty())
    return session_missing(nullptr);
  if (request.method == "GET")
    return stream_request{std::move(server), std::string{session}, std::string{request.field("Last-Event-ID")}};
  return delete_request{std::move(server), std::string{session}};
}

parsed_request read_mcp(http_request& request, const known_fields& fields, std::string server) {
  if (request.method != "POST" && request.method != "GET" && request.method != "DELETE")
    return method_not_allowed(mcp_methods);
  if (request.method != "POST" && is_modern_version(fields.version.value))
    return method_not_allowed("POST");
  if (auto bad = refuse_media(request.method, fields))
    return std::move(*bad);
  return request.method == "POST" ? read_post(request, fields, std::move(server))
                                  : read_bodiless(request, fields, std::move(server));
}

// -- HTTP+SSE (2024-11-05) ---------------------------------------------------------------

/// Returns the session id in the query: some SDKs write `sessionId`, others `session_id`.
std::string_view session_of(std::string_view target) {
  auto query = target.substr(std::min(target.find('?'), target.size()));
  while (!query.empty()) {
    query.remove_prefix(1);
    auto part = query.substr(0, query.find('&'));
    for (std::string_view name : {"sessionId=", "session_id="})
      if (part.starts_with(name))
        return part.substr(name.size());
    query.remove_prefix(part.size());
  }
  return {};
}

parsed_request read_sse(const http_request& request, const known_fields& fields, std::string server) {
  if (request.method != "GET")
    return method_not_allowed("GET");
  if (auto bad = refuse_media(request.method, fields))
    return std::move(*bad);
  return sse_request{std::move(server)};
}

parsed_request read_sse_post(http_request& request, const known_fields& fields, std::string server) {
  if (request.method != "POST")
    return method_not_allowed("POST");
  auto session = session_of(request.target);
  if (!valid_session_id(session))
    return refusal(400, session.empty() ? "Bad Request: sessionId is required" : "Bad Request: sessionId is malformed");
  if (!is_json_type(fields.content_type.value))
    return refusal(400, "Bad Request: Content-Type must be application/json");
  auto read = read_client_body(std::move(request.body));
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(*bad);
  auto& body = std::get<post_body>(read);
  if (auto bad = refuse_era(fields.version.value, body))
    return std::move(*bad);
  if (auto bad = refuse_bad_initialize(body))
    return std::move(*bad);
  return sse_post_request{std::move(server), std::string{session}, std::move(body)};
}

} // namespace

std::string_view http_request::field(std::string_view name) const {
  for (auto& field : fields)
    if (same_word(field.name, name))
      return without_blanks(field.value);
  return {};
}

std::string sender_of(const http_request& request) {
  return std::string{request.peer}.append(" ").append(request.field("user-agent").substr(0, 64));
}

parsed_request parse_request(http_request& request, mcp_request&& at) {
  if (at.at.to == endpoint::mcp)
    return read_mcp(request, at.fields, std::move(at.at.server));
  if (at.at.to == endpoint::sse)
    return read_sse(request, at.fields, std::move(at.at.server));
  return read_sse_post(request, at.fields, std::move(at.at.server));
}

// -- answers ---------------------------------------------------------------------------

std::vector<std::pair<std::string, std::string>> cross_origin_fields(const http_request& request,
                                                                     const access_rules& access) {
  auto origin = request.field("Origin");
  if (origin.empty() || !origin_allowed(origin, access.allow_origins))
    return {};
  return {{"Access-Control-Allow-Origin", std::string{origin}},
          {"Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate"},
          {"Vary", "Origin"}};
}

rejection located(rejection refused, std::string_view path_and_query) {
  if (refused.status != 307)
    return refused;
  const auto path = path_and_query.substr(0, path_and_query.find('?'));
  const auto last = path_and_query.substr(path.rfind('/') + 1);
  refused.headers.emplace_back("Location", "./" + std::string{last});
  return refused;
}

http_response rejection_response(const rejection& refused) {
  auto body = refused.body.empty() ? error_text(refused.id, refused.code, refused.text) : refused.body;
  return {refused.status, refused.headers, std::move(body), json_type};
}

http_response json_response(std::string text, std::string_view session) {
  http_response result{200, {}, std::move(text), json_type};
  if (!session.empty())
    result.fields.emplace_back("Mcp-Session-Id", session);
  return result;
}

http_response accepted_response() { return {202, {}, {}}; }

http_response ended_response() { return {200, {}, {}}; }

http_response health_response(bool healthy) {
  return {healthy ? 200 : 503, {}, healthy ? "ok\n" : "draining\n", "text/plain"};
}

http_response ready_response() { return {200, {}, std::string{ready_text}, json_type}; }

http_response preflight_response(const http_request& request) {
  auto wanted = request.field("Access-Control-Request-Headers");
  auto harmless = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (wanted.empty() || !std::all_of(wanted.begin(), wanted.end(), harmless))
    wanted = "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, Mcp-Method, "
             "Mcp-Name";
  return {204,
          {{"Access-Control-Allow-Methods", std::string{mcp_methods}},
           {"Access-Control-Allow-Headers", std::string{wanted}},
           {"Access-Control-Max-Age", "600"}},
          {}};
}

http_response stream_head() {
  return {200, {}, {}, "text/event-stream", "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no"};
}

} // namespace troupe::protocol
