#include "protocol/http/entry.hpp"

#include "protocol/http/original_request.hpp"
#include "protocol/text/words.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

bool is_loopback_name(std::string_view host) {
  return same_word(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

/// Whether an origin is of this machine. An origin is scheme, host and port, and nothing else:
/// `http://localhost:1@evil.com` is none.
bool is_loopback_origin(std::string_view origin) {
  auto parsed = boost::urls::parse_uri({origin.data(), origin.size()});
  if (!parsed || parsed->has_userinfo() || !parsed->encoded_path().empty() || parsed->has_query() ||
      parsed->has_fragment())
    return false;
  auto host = parsed->encoded_host();
  auto scheme = parsed->scheme();
  return (scheme == "http" || scheme == "https") && is_loopback_name({host.data(), host.size()});
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  if (colon == host.npos || !is_port(host.substr(colon + 1)))
    return host;
  return host.substr(0, colon);
}

/// Refuses requests from pages of other sites. Browsers send no `Origin` with content that a page embeds or links to,
/// but name the page's site (Fetch Metadata, "The Sec-Fetch-Site HTTP Request Header"). No browser sends an empty
/// `Origin`: it is refused like those that are not allowed.
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

bool is_good_host(std::string_view host, const access_rules& access) {
  return (!access.loopback_only && access.allowed_hosts.empty()) || host_is_local(host, access.host) ||
         host_allowed(host, access.allowed_hosts);
}

/// Checks the host that a trusted proxy names. Any host is good unless the operator has configured hosts.
bool is_good_for_proxies(const http_request& request, const access_rules& access) {
  return access.allowed_hosts.empty() || access.trusted_proxies.is_empty() ||
         is_good_host(original_of(request, access.trusted_proxies).host, access);
}

/// Refuses a host that is not allowed. The authority in the target, if any, takes precedence over `Host` (RFC 9112,
/// 3.2.2), but proxies disagree on that: both have to be good.
std::optional<rejection> refuse_host(const known_fields& fields, const request_target& target,
                                     const http_request& request, const access_rules& access) {
  auto is_good = [&](std::string_view host) { return is_good_host(host, access); };
  if (fields.host.count > 1)
    return refusal(400, "Bad Request: Host may come once");
  if (!is_good(fields.host.value))
    return refusal(403, "Forbidden: this Host is not this machine; --allowed-host admits it");
  if (target.authority && !is_good(*target.authority))
    return refusal(403, "Forbidden: the host in the request's target is not this machine; --allowed-host admits it");
  if (!is_good_for_proxies(request, access))
    return refusal(403, "Forbidden: the host that a proxy names is not allowed; --allowed-host admits it");
  return std::nullopt;
}

bool names_this_machine(const known_fields& fields, const request_target& target) {
  return !fields.is_passed_on && host_is_local(fields.host.value, {}) &&
         (!target.authority || host_is_local(*target.authority, {}));
}

/// Whether a request only reads. HEAD gets the answer to GET without the body, which is left out where answers are
/// written (RFC 9110, 9.1).
bool is_reading(const http_request& request) { return request.method == "GET" || request.method == "HEAD"; }

constexpr std::string_view reading_methods = "GET, HEAD";

entered_request read_state(const http_request& request, const known_fields& fields, const request_target& target) {
  if (!names_this_machine(fields, target))
    return refusal(403, "Forbidden: the state is shown to this machine only, and not through a proxy");
  return is_reading(request) ? entered_request{state_request{}} : method_not_allowed(reading_methods);
}

entered_request read_probe(const http_request& request, entered_request probe) {
  return is_reading(request) ? std::move(probe) : entered_request{method_not_allowed(reading_methods)};
}

bool has_document(std::string_view endpoint_path, const known_paths& paths) {
  auto to = paths.read(endpoint_path).to;
  return to == endpoint::mcp || to == endpoint::sse;
}

/// Removes the prefix of an endpoint's path. In the path of its document the prefix is in the middle, where proxies
/// that remove it elsewhere may leave it.
std::string_view without_prefix(std::string_view endpoint_path, const http_request& request,
                                const access_rules& access) {
  auto result = access.paths.without_prefix(endpoint_path);
  if (has_document(result, access.paths))
    return result;
  return behind_prefix(original_of(request, access.trusted_proxies).prefix, result);
}

/// Reads the path of a public document: about an endpoint of MCP, or about the issuer.
std::optional<entered_request> read_document(std::string_view path_and_query, const http_request& request,
                                             const access_rules& access) {
  auto path = path_and_query.substr(0, path_and_query.find('?'));
  if (path == issuer_path)
    return issuer_request{};
  const auto named = endpoint_of_metadata(path);
  auto endpoint_path = named.empty() ? std::string_view{} : without_prefix(named, request, access);
  if (!has_document(endpoint_path, access.paths))
    return std::nullopt;
  return metadata_request{std::string{endpoint_path}};
}

bool is_of_mcp(endpoint to) { return to == endpoint::mcp || to == endpoint::sse || to == endpoint::messages; }

} // namespace

bool origin_allowed(std::string_view origin, const std::vector<std::string>& allowed) {
  auto admits = [&](const std::string& one) { return one == "*" || same_word(one, origin); };
  return is_loopback_origin(origin) || std::any_of(allowed.begin(), allowed.end(), admits);
}

bool host_allowed(std::string_view host, const std::vector<std::string>& allowed) {
  auto admits = [&](const std::string& one) {
    return one == "*" || same_word(one, host) || same_word(one, without_port(host));
  };
  return !host.empty() && std::any_of(allowed.begin(), allowed.end(), admits);
}

bool host_is_local(std::string_view host, std::string_view bound_to) {
  auto name = without_port(host);
  return is_loopback_name(name) || (!bound_to.empty() && same_word(name, bound_to));
}

/// Browsers send a preflight request before one that is not simple (Fetch, "CORS protocol").
entered_request enter(const http_request& request, const access_rules& access) {
  auto target = split_target(request.target);
  auto path = access.paths.read(target.path_and_query);
  if (path.to == endpoint::health)
    return read_probe(request, health_request{});
  if (path.to == endpoint::readiness)
    return read_probe(request, readiness_request{});
  if (auto document = access.has_metadata ? read_document(target.path_and_query, request, access) : std::nullopt)
    return std::move(*document);
  known_fields fields{request.fields};
  if (auto bad = refuse_origin(fields, access))
    return std::move(*bad);
  if (auto bad = refuse_host(fields, target, request, access))
    return std::move(*bad);
  if (is_of_mcp(path.to) && request.method == "OPTIONS" && !fields.origin.value.empty())
    return preflight_request{};
  if (is_of_mcp(path.to))
    return mcp_request{std::move(path), fields};
  if (path.to == endpoint::state && access.shows_state && request.is_local)
    return read_state(request, fields, target);
  return refusal(404, "Not Found: the MCP endpoints are /mcp and /sse, and those of /servers/<name>");
}

bool is_of_this_machine(const http_request& request, const known_fields& fields) {
  return request.is_local && names_this_machine(fields, split_target(request.target));
}

bool is_probe(const http_request& request, const known_paths& paths) {
  const auto to = paths.read(split_target(request.target).path_and_query).to;
  return (request.method == "GET" || request.method == "HEAD") && (to == endpoint::health || to == endpoint::readiness);
}

} // namespace troupe::protocol
