#include "protocol/http/known_paths.hpp"

#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::string_view servers = "/servers/";
constexpr std::string_view well_known = "/.well-known/oauth-protected-resource";

struct named_endpoint {
  std::string_view path;
  endpoint to;
};

constexpr std::array of_gateway = {
    named_endpoint{"/healthz", endpoint::health}, named_endpoint{"/health", endpoint::health},
    named_endpoint{"/readyz", endpoint::readiness}, named_endpoint{"/debug/state", endpoint::state}};
constexpr std::array of_servers = {named_endpoint{"/mcp", endpoint::mcp}, named_endpoint{"/sse", endpoint::sse},
                                   named_endpoint{"/messages", endpoint::messages}};

template <class Endpoints>
endpoint find_endpoint(const Endpoints& all, std::string_view path) {
  for (auto& one : all)
    if (one.path == path)
      return one.to;
  return endpoint::none;
}

std::string path_of(std::string_view server) {
  return server.empty() ? std::string{} : std::string{servers} + percent_encoded(server);
}

path read_server_path(std::string_view rest) {
  auto slash = rest.find('/');
  if (slash == rest.npos)
    return {};
  auto name = percent_decoded(rest.substr(0, slash));
  auto to = find_endpoint(of_servers, rest.substr(slash));
  if (!name || name->empty() || to == endpoint::none)
    return {};
  return {to, std::move(*name)};
}

constexpr std::size_t longest_path = 256;

bool is_of_path(char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#' && c != '%' && c != '\\'; }

/// Whether a character needs no escape in a URL (RFC 3986, 3.3), in a quoted text or in a list.
bool is_of_prefix(char c) {
  constexpr std::string_view others = "-._~!$&*+=:@/";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || others.find(c) != others.npos;
}

std::string fault_of_form(std::string_view path) {
  if (path.size() < 2 || path.front() != '/' || path.back() == '/')
    return "must begin with / and not end with it";
  if (path.size() > longest_path)
    return "must not be longer than 256 characters";
  if (!std::ranges::all_of(path, is_of_path))
    return "must be of visible ASCII characters without ?, #, % and \\";
  if (path.find("//") != path.npos || path.find("/.") != path.npos)
    return "must not have empty parts, and none that begins with a dot";
  return {};
}

} // namespace

request_target split_target(std::string_view target) {
  auto colon = target.find("://");
  auto scheme = target.substr(0, colon);
  if (colon == target.npos || (!same_word(scheme, "http") && !same_word(scheme, "https")))
    return {std::nullopt, target};
  auto rest = target.substr(colon + 3);
  auto end = std::min(rest.find_first_of("/?"), rest.size());
  return {rest.substr(0, end), rest.substr(end)};
}

std::string_view path_without_query(std::string_view path_and_query) {
  auto result = path_and_query.substr(0, path_and_query.find('?'));
  if (result.size() > 1 && result.back() == '/')
    result.remove_suffix(1);
  return result;
}

path read_path(std::string_view path_and_query) {
  auto path = path_without_query(path_and_query);
  if (path.starts_with(servers))
    return read_server_path(path.substr(servers.size()));
  auto to = find_endpoint(of_servers, path);
  return {to == endpoint::none ? find_endpoint(of_gateway, path) : to};
}

std::string endpoint_path(const path& of) {
  return of.shown.empty() ? path_of(of.server) + (of.to == endpoint::mcp ? "/mcp" : "/sse") : of.shown;
}

std::string messages_path(std::string_view server, std::string_view session) {
  return path_of(server) + "/messages?sessionId=" + std::string{session};
}

std::string metadata_path(std::string_view endpoint_path) {
  return std::string{well_known}.append(endpoint_path == "/" ? "" : endpoint_path);
}

std::string endpoint_of_metadata(std::string_view path) {
  if (!path.starts_with(well_known))
    return {};
  auto rest = path.substr(well_known.size());
  if (rest.empty() || rest == "/")
    return "/mcp";
  return rest.starts_with('/') ? std::string{rest} : std::string{};
}

path known_paths::read(std::string_view path_and_query) const { return find(without_prefix(path_and_query)); }

/// A path of the gateway takes precedence over one after the prefix.
std::string_view known_paths::without_prefix(std::string_view path_and_query) const {
  auto rest = behind_prefix(prefix_, path_and_query);
  return rest.empty() || find(path_and_query).to != endpoint::none ? path_and_query : rest;
}

path known_paths::find(std::string_view path_and_query) const {
  auto own = read_path(path_and_query);
  if (own.to != endpoint::none || more_.empty())
    return own;
  auto at = path_without_query(path_and_query);
  auto found = std::ranges::find(more_, at, &std::pair<endpoint, std::string>::second);
  if (found == more_.end())
    return own;
  return {found->first, {}, found->first == endpoint::messages ? first(endpoint::sse) : found->second};
}

std::string known_paths::messages(std::string_view server, std::string_view session) const {
  auto told = server.empty() ? first(endpoint::messages) : std::string{};
  return told.empty() ? messages_path(server, session) : told + "?sessionId=" + std::string{session};
}

std::string known_paths::first(endpoint to) const {
  auto found = std::ranges::find(more_, to, &std::pair<endpoint, std::string>::first);
  return found == more_.end() ? std::string{} : found->second;
}

std::string fault_of_path(std::string_view path) {
  if (auto why = fault_of_form(path); !why.empty())
    return why;
  if (path.starts_with("/servers/") || read_path(path).to != endpoint::none)
    return "is a path of the gateway's own";
  return {};
}

std::string fault_of_prefix(std::string_view path) {
  if (auto why = fault_of_form(path); !why.empty())
    return why;
  return std::ranges::all_of(path, is_of_prefix) ? std::string{}
                                                 : "must be of letters, digits and -._~!$&*+=:@ between slashes";
}

std::string_view behind_prefix(std::string_view prefix, std::string_view path_and_query) {
  if (prefix.empty() || !path_and_query.starts_with(prefix))
    return {};
  auto rest = path_and_query.substr(prefix.size());
  return rest.starts_with('/') ? rest : std::string_view{};
}

} // namespace troupe::protocol
