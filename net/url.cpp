#include "net/url.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>
#include <utility>

namespace troupe::net {

namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;
/// Of a domain name (RFC 1035, 2.3.4).
constexpr std::size_t max_host = 253;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string in_small_letters(std::string_view text) {
  std::string result{text};
  std::transform(result.begin(), result.end(), result.begin(), small);
  return result;
}

bool is_printable(char c) { return c > ' ' && c < 0x7f; }

bool is_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'; }

/// Takes what stands before the first of `ends` off the text.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  auto size = std::min(text.find_first_of(ends), text.size());
  auto result = text.substr(0, size);
  text.remove_prefix(size);
  return result;
}

bool parse_scheme(std::string_view& text, url& to) {
  auto scheme = in_small_letters(text.substr(0, text.find(':')));
  if ((scheme != "http" && scheme != "https") || text.substr(scheme.size(), 3) != "://")
    return false;
  to.is_secure = scheme == "https";
  text.remove_prefix(scheme.size() + 3);
  return true;
}

/// An address of IPv6 stands in brackets; a zone has no meaning beyond this machine.
bool parse_bracketed(std::string_view& text, std::string& host) {
  auto end = text.find(']');
  if (end == text.npos)
    return false;
  host = in_small_letters(text.substr(1, end - 1));
  text.remove_prefix(end + 1);
  boost::system::error_code error;
  boost::asio::ip::make_address_v6(host, error);
  return !error && host.find('%') == host.npos;
}

bool parse_host(std::string_view& text, std::string& host) {
  if (text.starts_with('['))
    return parse_bracketed(text, host);
  host = in_small_letters(take_until(text, ":"));
  return !host.empty() && host.size() <= max_host && std::all_of(host.begin(), host.end(), is_of_name);
}

/// An empty port is the scheme's own (RFC 3986, 3.2.3).
bool parse_port(std::string_view text, std::uint16_t& port) {
  if (text.empty() || text == ":")
    return true;
  auto end = text.data() + text.size();
  auto [read, error] = std::from_chars(text.data() + 1, end, port);
  return text.front() == ':' && error == std::errc{} && read == end && port != 0;
}

std::string target_of(std::string_view path_and_query) {
  auto has_path = path_and_query.starts_with('/');
  return (has_path ? "" : "/") + std::string{path_and_query};
}

/// What is wrong with it; empty when nothing is.
std::string parse_into(url& to, std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_printable))
    return "the URL has a character that must be escaped";
  if (!parse_scheme(text, to))
    return "the URL does not begin with http:// or https://";
  auto authority = take_until(text, "/?#");
  if (authority.find('@') != authority.npos)
    return "the URL has a user in it";
  if (text.find('#') != text.npos)
    return "the URL has a fragment";
  to.target = target_of(text);
  return parse_authority(authority, to.is_secure ? https_port : http_port, to.host, to.port);
}

} // namespace

std::string url::authority() const {
  auto name = host.find(':') == host.npos ? host : "[" + host + "]";
  auto own_port = is_secure ? https_port : http_port;
  return port == own_port ? name : name + ":" + std::to_string(port);
}

std::string url::origin() const { return (is_secure ? "https://" : "http://") + authority(); }

std::string parse_authority(std::string_view text, std::uint16_t own_port, std::string& host, std::uint16_t& port) {
  port = own_port;
  if (!parse_host(text, host))
    return "the URL has no good host";
  return parse_port(text, port) ? "" : "the URL has no good port";
}

std::optional<url> parse_url(std::string_view text, std::string& why_not) {
  url result;
  why_not = parse_into(result, text);
  return why_not.empty() ? std::optional{std::move(result)} : std::nullopt;
}

} // namespace troupe::net
