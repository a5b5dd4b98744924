#include "protocol/admin/admin_entry.hpp"

#include "protocol/http/known_fields.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/text/fnv1a.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace troupe::protocol {

namespace {

// -- pages ------------------------------------------------------------------------------

struct admin_route {
  std::string_view path;
  admin_page page;
};

constexpr std::array admin_routes = {admin_route{"/metrics", admin_page::metrics},
                                     admin_route{"/healthz", admin_page::health}};

/// Finds a page. HEAD is answered like GET, without the body (RFC 9110, 9.1).
admin_entry find_page(std::string_view method, std::string_view path) {
  const auto found = std::ranges::find(admin_routes, path, &admin_route::path);
  if (found == admin_routes.end())
    return admin_error(404, "there is nothing for operators at this path");
  if (method == "GET" || method == "HEAD")
    return found->page;
  return admin_error(method_not_allowed("GET, HEAD"));
}

// -- callers ----------------------------------------------------------------------------

/// Returns the host in a `Host` field, with or without a port; nothing when it is malformed.
std::optional<std::string> host_in(std::string_view authority) {
  if (is_host(authority))
    return std::string{without_brackets(authority)};
  auto place = read_host_port(authority);
  return place ? std::optional{std::move(place->host)} : std::nullopt;
}

/// True if a name is one of the listener's. Names do not lead to unix sockets. A listener at all addresses accepts any
/// name: it requires the token, which a page that uses a name of its own does not know.
bool is_good_admin_host(std::string_view authority, const admin_rules& rules) {
  if (is_unix_socket(rules.host))
    return true;
  const auto host = host_in(authority);
  return host && (is_loopback(*host) || is_wildcard(rules.host) || same_word(*host, without_brackets(rules.host)));
}

/// Checks `Host`, and the authority in the target, which takes precedence (RFC 9112, 3.2.2): both have to be good.
bool is_called_rightly(const known_fields& fields, std::string_view target, const admin_rules& rules) {
  const auto authority = split_target(target).authority;
  return fields.host.count == 1 && is_good_admin_host(fields.host.value, rules) &&
         (!authority || is_good_admin_host(*authority, rules));
}

/// True if a page of this listener sent the request, or no page at all.
bool is_own_origin(const known_fields& fields) {
  return fields.origin.count == 0 ||
         (fields.origin.count == 1 && same_word(fields.origin.value, "http://" + std::string{fields.host.value}));
}

/// Returns the operator's token; empty unless there is exactly one candidate.
std::string_view operators_token(const http_request& request) {
  constexpr std::string_view scheme = "Bearer ";
  known_fields::field authorization;
  for (const auto& one : request.fields)
    if (same_word(one.name, "Authorization"))
      authorization.note(one.value);
  if (authorization.count != 1 || !same_word(authorization.value.substr(0, scheme.size()), scheme))
    return {};
  return without_blanks(authorization.value.substr(scheme.size()));
}

/// Returns the refusal of an operator's request; nothing when it is allowed.
std::optional<http_response> refuse_admin(const http_request& request, const admin_rules& rules,
                                          std::string_view token) {
  if (auto refused = refuse_foreign(request, rules))
    return refused;
  if (token.empty() || same_secret(operators_token(request), token))
    return std::nullopt;
  auto result = admin_error(401, "show the token: Authorization: Bearer TOKEN");
  result.fields.emplace_back("WWW-Authenticate", "Bearer");
  return result;
}

/// Header fields of a file. Browsers store it, but check each time for changes: another program may have another file.
constexpr std::string_view console_fields =
    "Cache-Control: no-cache\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff";

std::string entity_tag(std::string_view text) {
  std::array<char, 16> digits;
  auto* end = std::to_chars(digits.data(), digits.data() + digits.size(), fnv1a_64(text), 16).ptr;
  return '"' + std::string{digits.data(), end} + '"';
}

/// True if the browser itself opens the file, in a window of its own: no other page can read the answer.
bool is_navigation(const http_request& request) {
  return same_word(request.field("Sec-Fetch-Mode"), "navigate") &&
         same_word(request.field("Sec-Fetch-Dest"), "document");
}

http_response file_answer(const http_request& request, const console_file& file) {
  auto tag = entity_tag(file.text);
  const auto known = request.field("If-None-Match");
  if (known == "*" || known.find(tag) != std::string_view::npos)
    return {304, {{"ETag", std::move(tag)}}, {}, {}, console_fields};
  return {200, {{"ETag", std::move(tag)}}, std::string{file.text}, file.type, console_fields};
}

} // namespace

std::optional<http_response> refuse_foreign(const http_request& request, const admin_rules& rules, bool may_be_led) {
  const known_fields fields{request.fields};
  if (!is_called_rightly(fields, request.target, rules))
    return admin_error(403, "this Host is neither this machine nor where operators are listened for");
  if (!is_own_origin(fields) || (fields.of_another_site && !may_be_led))
    return admin_error(403, "a page of another origin sent this request");
  return std::nullopt;
}

admin_entry enter_admin(const http_request& request, const admin_rules& rules, std::string_view token) {
  if (auto refused = refuse_admin(request, rules, token))
    return std::move(*refused);
  const auto target = split_target(request.target).path_and_query;
  const auto path = target.substr(0, target.find('?'));
  if (path.starts_with("/api/") || path == "/readyz")
    return operator_request{std::string{request.method}, std::string{target}, request.body};
  return find_page(request.method, path);
}

http_response admin_response(int status, std::string_view type, std::string body) {
  return {status, {}, std::move(body), type, "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff"};
}

http_response admin_error(int status, std::string_view why) {
  return admin_response(status, "application/json", "{\"error\":" + quoted(why) + "}\n");
}

http_response admin_error(const rejection& why) {
  auto result =
      why.body.empty() ? admin_error(why.status, why.text) : admin_response(why.status, "application/json", why.body);
  for (auto& one : why.headers)
    result.fields.emplace_back(one.first, one.second);
  return result;
}

std::optional<http_response> enter_console(const http_request& request, const admin_rules& rules,
                                           std::span<const console_file> files) {
  const auto target = split_target(request.target).path_and_query;
  const auto file = std::ranges::find(files, target.substr(0, target.find('?')), &console_file::path);
  if (file == files.end())
    return std::nullopt;
  const auto reads = request.method == "GET" || request.method == "HEAD";
  if (auto refused = refuse_foreign(request, rules, reads && is_navigation(request)))
    return refused;
  if (reads)
    return file_answer(request, *file);
  return admin_error(method_not_allowed("GET, HEAD"));
}

} // namespace troupe::protocol
