#include "protocol/catalog/resource_uri.hpp"

#include "protocol/text/percent.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view scheme = "troupe://";

} // namespace

std::string merged_uri(std::string_view server, std::string_view original) {
  std::string result{scheme};
  result += percent_encoded(server);
  result += '/';
  return result += original;
}

std::optional<resource_uri> read_merged_uri(std::string_view uri) {
  if (!uri.starts_with(scheme))
    return std::nullopt;
  uri.remove_prefix(scheme.size());
  auto slash = uri.find('/');
  auto server = slash == uri.npos ? std::nullopt : percent_decoded(uri.substr(0, slash));
  if (!server)
    return std::nullopt;
  return resource_uri{std::move(*server), std::string{uri.substr(slash + 1)}};
}

} // namespace troupe::protocol
