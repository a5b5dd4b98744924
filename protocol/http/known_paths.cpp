#include "protocol/http/known_paths.hpp"

#include <algorithm>
#include <cstddef>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_path = 256;

bool is_of_path(char c) { return c > ' ' && c < '\x7f' && c != '?' && c != '#' && c != '%' && c != '\\'; }

} // namespace

path known_paths::read(std::string_view path_and_query) const {
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
  if (path.size() < 2 || path.front() != '/' || path.back() == '/')
    return "must begin with / and not end with it";
  if (path.size() > longest_path)
    return "must not be longer than 256 characters";
  if (!std::ranges::all_of(path, is_of_path))
    return "must be of visible ASCII characters without ?, #, % and \\";
  if (path.find("//") != path.npos || path.find("/.") != path.npos)
    return "must not have empty parts, and none that begins with a dot";
  if (path.starts_with("/servers/") || read_path(path).to != endpoint::none)
    return "is a path of the gateway's own";
  return {};
}

} // namespace troupe::protocol
