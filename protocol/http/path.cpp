#include "protocol/http/path.hpp"

#include "protocol/text/percent.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

} // namespace troupe::protocol
