#include "protocol/resource_uri.hpp"

#include <charconv>

namespace troupe::protocol {

namespace {

constexpr std::string_view scheme = "troupe://";
constexpr std::string_view hex = "0123456789ABCDEF";

/// RFC 3986, section 2.3.
bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::string encoded(std::string_view name) {
  std::string result;
  for (auto c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      result += c;
    else
      result.append(1, '%').append(1, hex[byte >> 4U]).append(1, hex[byte & 15U]);
  }
  return result;
}

/// The byte of the escape `%XX` that `text` begins with.
std::optional<char> escaped_byte(std::string_view text) {
  unsigned char byte = 0;
  if (text.size() < 3)
    return std::nullopt;
  auto [end, error] = std::from_chars(text.data() + 1, text.data() + 3, byte, 16);
  if (error != std::errc{} || end != text.data() + 3)
    return std::nullopt;
  return static_cast<char>(byte);
}

std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto c = std::optional{text[at]};
    if (*c == '%') {
      c = escaped_byte(text.substr(at));
      at += 2;
    }
    if (!c)
      return std::nullopt;
    result += *c;
  }
  return result;
}

} // namespace

std::string merged_uri(std::string_view server, std::string_view original) {
  std::string result{scheme};
  result += encoded(server);
  result += '/';
  return result += original;
}

std::optional<resource_uri> read_merged_uri(std::string_view uri) {
  if (!uri.starts_with(scheme))
    return std::nullopt;
  uri.remove_prefix(scheme.size());
  auto slash = uri.find('/');
  auto server = slash == uri.npos ? std::nullopt : decoded(uri.substr(0, slash));
  if (!server)
    return std::nullopt;
  return resource_uri{std::move(*server), std::string{uri.substr(slash + 1)}};
}

} // namespace troupe::protocol
