#include "protocol/catalog/resource_uri.hpp"

#include "protocol/text/url.hpp"

namespace troupe::protocol {

namespace {

constexpr std::string_view merged_scheme = "troupe://";
constexpr std::string_view ui_scheme = "ui://";

} // namespace

std::string merged_uri(std::string_view server, std::string_view original) {
  auto ui = is_ui_uri(original);
  std::string result{ui ? ui_scheme : merged_scheme};
  result += percent_encoded(server);
  result += '/';
  return result += original.substr(ui ? ui_scheme.size() : 0);
}

std::optional<resource_uri> read_merged_uri(std::string_view uri) {
  auto ui = is_ui_uri(uri);
  if (!ui && !uri.starts_with(merged_scheme))
    return std::nullopt;
  uri.remove_prefix(ui ? ui_scheme.size() : merged_scheme.size());
  auto slash = uri.find('/');
  auto server = slash == uri.npos ? std::nullopt : percent_decoded(uri.substr(0, slash));
  if (!server)
    return std::nullopt;
  std::string original{ui ? ui_scheme : std::string_view{}};
  return resource_uri{std::move(*server), original += uri.substr(slash + 1)};
}

bool is_ui_uri(std::string_view uri) { return uri.starts_with(ui_scheme); }

} // namespace troupe::protocol
