#include "protocol/http/http.hpp"

#include "protocol/http/known_fields.hpp"
#include "protocol/http/origin.hpp"
#include "protocol/http/path.hpp"
#include "protocol/message/era.hpp"
#include "protocol/message/initialize_request.hpp"
#include "protocol/message/message_parts.hpp"
#include "protocol/session_id.hpp"
#include "protocol/text/media.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <optional>

namespace troupe::protocol {

namespace {

constexpr std::string_view mcp_methods = "GET, POST, DELETE";
constexpr std::string_view json_type = "application/json";

rejection refusal(int status, std::string text) { return {status, error_code::invalid_request, std::move(text)}; }

rejection not_allowed(std::string_view methods) {
  return {405, error_code::invalid_request, "Method Not Allowed", {}, {{"Allow", std::string{methods}}}};
}

// -- the rules, in the order in which they refuse --------------------------------------

/// Browsers send no `Origin` with what a page embeds or links to, but say where the page is from (Fetch Metadata, "The
/// Sec-Fetch-Site HTTP Request Header"). An `Origin` that is empty is none of a browser's: it is refused like those
/// that are not allowed.
std::optional<rejection> refuse_origin(const known_fields& fields, const access_rules& access) {
  auto& origin = fields.origin;
  if (origin.count > 1)
    return refusal(403, "Forbidden: Origin may come once");
  if (origin.count == 0 && fields.of_another_site)
    return refusal(403, "Forbidden: a page of another site sent this request, and no Origin that says which");
  if (origin.count == 1 && !origin_allowed(origin.value, access.allow_origins))
    return refusal(403, "Forbidden: this Origin is not allowed; --allow-origin admits it");
  return std::nullopt;
}

/// The authority in the target, if there is one, goes before `Host` (RFC 9112, 3.2.2), but proxies disagree on that:
/// both have to be good.
std::optional<rejection> refuse_host(const known_fields& fields, const request_target& target,
                                     const access_rules& access) {
  auto is_good = [&](std::string_view host) { return !access.loopback_only || host_is_local(host, access.host); };
  if (fields.host.count > 1)
    return refusal(400, "Bad Request: Host may come once");
  if (!is_good(fields.host.value))
    return refusal(403, "Forbidden: this Host is not this machine");
  if (target.authority && !is_good(*target.authority))
    return refusal(403, "Forbidden: the host in the request's target is not this machine");
  return std::nullopt;
}

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

bool begins_session(const post_body& body) { return !body.batch && is_initialize(body.messages.front()); }

/// Before there is a session, so that none begins in vain and no server sees what may harm it.
std::optional<rejection> refuse_bad_initialize(const post_body& body) {
  return begins_session(body) ? refuse_initialize(body.messages.front()) : std::nullopt;
}

rejection session_missing(const post_body* body) {
  auto result = refusal(400, "Bad Request: Mcp-Session-Id header is required");
  if (body && !body->batch && is_request(body->messages.front()))
    result.id = body->messages.front().id;
  return result;
}

// -- what passed these rules ----------------------------------------------------

parsed_request read_post(http_request& request, const known_fields& fields, std::string server) {
  auto read = read_body(std::move(request.body));
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(*bad);
  auto& body = std::get<post_body>(read);
  if (auto bad = refuse_era(fields.version.value, body))
    return std::move(*bad);
  if (auto bad = refuse_bad_initialize(body))
    return std::move(*bad);
  auto session = fields.session.value;
  if (session.empty() && !begins_session(body))
    return session_missing(&body);
  return wants_post{std::move(server), std::string{session}, std::move(body)};
}

parsed_request read_bodiless(const http_request& request, const known_fields& fields, std::string server) {
  if (auto bad = refuse_version(fields.version.value))
    return std::move(*bad);
  auto session = fields.session.value;
  if (session.empty())
    return session_missing(nullptr);
  if (request.method == "GET")
    return wants_stream{std::move(server), std::string{session}, std::string{request.field("Last-Event-ID")}};
  return wants_end{std::move(server), std::string{session}};
}

parsed_request read_mcp(http_request& request, const known_fields& fields, std::string server) {
  if (request.method != "POST" && request.method != "GET" && request.method != "DELETE")
    return not_allowed(mcp_methods);
  if (auto bad = refuse_media(request.method, fields))
    return std::move(*bad);
  if (auto bad = refuse_repeated_version(fields))
    return std::move(*bad);
  if (auto bad = refuse_session_id(fields))
    return std::move(*bad);
  return request.method == "POST" ? read_post(request, fields, std::move(server))
                                  : read_bodiless(request, fields, std::move(server));
}

// -- HTTP+SSE (2024-11-05) ---------------------------------------------------------------

/// The session id in the query: some SDKs write `sessionId`, others `session_id`.
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
    return not_allowed("GET");
  if (auto bad = refuse_media(request.method, fields))
    return std::move(*bad);
  return wants_sse{std::move(server)};
}

parsed_request read_sse_post(http_request& request, const known_fields& fields, std::string server) {
  if (request.method != "POST")
    return not_allowed("POST");
  auto session = session_of(request.target);
  if (!valid_session_id(session))
    return refusal(400, session.empty() ? "Bad Request: sessionId is required" : "Bad Request: sessionId is malformed");
  if (!is_json_type(fields.content_type.value))
    return refusal(400, "Bad Request: Content-Type must be application/json");
  auto read = read_body(std::move(request.body));
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(*bad);
  auto& body = std::get<post_body>(read);
  if (auto bad = refuse_era(fields.version.value, body))
    return std::move(*bad);
  if (auto bad = refuse_bad_initialize(body))
    return std::move(*bad);
  return wants_sse_post{std::move(server), std::string{session}, std::move(body)};
}

/// A proxy on this machine makes every client look like one of it, so what a proxy adds counts too: the fields by which
/// it says that it is one, and the name by which its clients call it.
bool is_of_this_machine(const http_request& request, const request_target& target) {
  auto is_passed_on = std::any_of(request.fields.begin(), request.fields.end(), [](const http_field& field) {
    return same_word(field.name, "Forwarded") || same_word(field.name, "Via") || same_word(field.name, "X-Real-IP") ||
           same_word(field.name.substr(0, 12), "X-Forwarded-");
  });
  return !is_passed_on && host_is_local(request.field("Host"), {}) &&
         (!target.authority || host_is_local(*target.authority, {}));
}

parsed_request read_state(const http_request& request, const request_target& target) {
  if (!is_of_this_machine(request, target))
    return refusal(403, "Forbidden: the state is shown to this machine only, and not through a proxy");
  return request.method == "GET" ? parsed_request{wants_state{}} : not_allowed("GET");
}

parsed_request read_probe(const http_request& request, parsed_request probe) {
  return request.method == "GET" ? std::move(probe) : parsed_request{not_allowed("GET")};
}

/// Browsers send a preflight request before one that is not simple (Fetch, "CORS protocol").
template <class Read>
parsed_request preflight_or(http_request& request, const known_fields& fields, path at, Read read) {
  if (request.method == "OPTIONS" && !fields.origin.value.empty())
    return wants_preflight{};
  return read(request, fields, std::move(at.server));
}

} // namespace

std::string_view http_request::field(std::string_view name) const {
  for (auto& field : fields)
    if (same_word(field.name, name))
      return without_blanks(field.value);
  return {};
}

parsed_request parse_request(http_request& request, const access_rules& access) {
  auto target = split_target(request.target);
  auto path = read_path(target.path_and_query);
  if (path.to == endpoint::health)
    return read_probe(request, wants_health{});
  if (path.to == endpoint::readiness)
    return read_probe(request, wants_readiness{});
  const known_fields fields{request.fields};
  if (auto bad = refuse_origin(fields, access))
    return std::move(*bad);
  if (auto bad = refuse_host(fields, target, access))
    return std::move(*bad);
  if (path.to == endpoint::mcp)
    return preflight_or(request, fields, std::move(path), read_mcp);
  if (path.to == endpoint::sse)
    return preflight_or(request, fields, std::move(path), read_sse);
  if (path.to == endpoint::messages)
    return preflight_or(request, fields, std::move(path), read_sse_post);
  if (path.to == endpoint::state && access.shows_state && request.is_local)
    return read_state(request, target);
  return refusal(404, "Not Found: the MCP endpoints are /mcp and /sse, and those of /servers/<name>");
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

http_response rejection_response(const rejection& refused) {
  return {refused.status, refused.headers, error_text(refused.id, refused.code, refused.text), json_type};
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

http_response preflight_response(const http_request& request) {
  auto wanted = request.field("Access-Control-Request-Headers");
  auto harmless = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (wanted.empty() || !std::all_of(wanted.begin(), wanted.end(), harmless))
    wanted = "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID";
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
