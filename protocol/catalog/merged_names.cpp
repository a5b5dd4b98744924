#include "protocol/catalog/merged_names.hpp"

#include "protocol/text/fnv1a.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstdint>

namespace troupe::protocol {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t hash_size = 8;
constexpr std::size_t kept_size = longest_merged_name - hash_size - 1;

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

std::string hash_text(std::string_view server, std::string_view original) {
  auto whole = fnv1a_64(original, fnv1a_64(std::string_view{"\0", 1}, fnv1a_64(server)));
  auto folded = static_cast<std::uint32_t>(whole ^ (whole >> 32U));
  std::string result;
  for (int shift = 28; shift >= 0; shift -= 4)
    result += hex_digits[(folded >> static_cast<unsigned>(shift)) & 15U];
  return result;
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Returns the beginning of a longer name; a character that would be cut in two is replaced by `_`.
std::string beginning(const std::string& name) {
  auto end = kept_size;
  while (end > 0 && continues_character(name[end]))
    --end;
  return name.substr(0, end) + std::string(kept_size - end, '_');
}

constexpr std::string_view merged_scheme = "troupe://";
constexpr std::string_view ui_scheme = "ui://";

} // namespace

std::string clean_prefix(std::string_view prefix) {
  std::string result{prefix};
  for (auto& c : result)
    c = is_plain(c) ? c : '_';
  return result;
}

std::string merged_name(std::string_view server, std::string_view prefix, std::string_view original) {
  std::string name{prefix};
  name += prefix.empty() ? std::string_view{} : prefix_separator;
  name += original;
  if (name.size() <= longest_merged_name)
    return name;
  return beginning(name) + "_" + hash_text(server, original);
}

std::optional<std::string_view> read_merged_name(std::string_view name, std::string_view prefix) {
  if (prefix.empty())
    return name;
  if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with(prefix_separator))
    return std::nullopt;
  return name.substr(prefix.size() + prefix_separator.size());
}

bool may_be_cut(std::string_view name) {
  return name.size() == longest_merged_name && name[kept_size] == '_' &&
         name.find_first_not_of(hex_digits, kept_size + 1) == name.npos;
}

std::string name_stem(std::string_view prefix) {
  return prefix.empty() ? std::string{} : std::string{prefix}.append(prefix_separator).substr(0, kept_size);
}

bool may_share_names(std::string_view stem, std::string_view other) {
  return stem.starts_with(other) || other.starts_with(stem);
}

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

std::vector<meant_item> items_of_name(std::string_view shown, const std::vector<prefixed_server>& servers) {
  std::vector<meant_item> result;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (auto original = read_merged_name(shown, servers[i].prefix))
      result.push_back({i, std::string{*original}});
  return result;
}

std::vector<meant_item> items_of_uri(std::string_view shown, const std::vector<prefixed_server>& servers) {
  const auto is_ui = is_ui_uri(shown);
  if (is_ui && servers.size() == 1 && servers.front().prefix.empty())
    return {{0, std::string{shown}}};
  if (auto read = read_merged_uri(shown))
    if (auto of = std::ranges::find(servers, read->server, &prefixed_server::name); of != servers.end())
      return {{static_cast<std::size_t>(of - servers.begin()), std::move(read->original)}};
  std::vector<meant_item> result;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (servers[i].prefix.empty() && !is_ui)
      result.push_back({i, std::string{shown}});
  return result;
}

} // namespace troupe::protocol
