#include "protocol/http/known_paths.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_path = 256;

bool is_of_path(char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#' && c != '%' && c != '\\'; }

/// Needs no escape in a URL (RFC 3986, 3.3), in a quoted text or in a list.
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

path known_paths::read(std::string_view path_and_query) const { return find(without_prefix(path_and_query)); }

/// What is a path of our own is not one behind the prefix.
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
