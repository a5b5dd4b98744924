#include "protocol/text/url.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <boost/url/authority_view.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

// Parsing common to URLs of all schemes (RFC 3986). `why_not` gets one line that names the wrong part but never repeats
// it: any part may be a secret.

constexpr auto no_host = "the URL has no good host";
constexpr auto no_port = "the URL has no good port";

bool is_printable(char c) { return c > ' ' && c < 0x7f; }

/// Returns the host with its brackets, up to the colon before its port.
std::string_view host_before_port(std::string_view place) {
  return place.substr(0, place.starts_with('[') ? place.find(']') + 1 : place.find(':'));
}

/// Returns the reason why the text is not a URL.
std::string what_is_wrong(std::string_view text) {
  auto authority = text.substr(text.find("//") + 2);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  auto place = authority.substr(authority.rfind('@') + 1);
  if (!is_host(host_before_port(place)))
    return no_host;
  if (!boost::urls::parse_authority({place.data(), place.size()}))
    return no_port;
  if (!boost::urls::parse_authority({authority.data(), authority.size()}))
    return "the URL has a character in its user or password that must be escaped";
  return "the URL has a character in its path, query or fragment that must be escaped";
}

// Parses a URL that begins with a scheme and `//`. The result refers to the text.
std::optional<boost::urls::url_view> parse_parts(std::string_view text, std::string& why_not) {
  auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  // Boost.URL 1.81 accepts a path without its slash after an IPv6 address.
  if (parsed && (parsed->encoded_path().empty() || parsed->is_path_absolute()))
    return *parsed;
  auto is_plain = std::ranges::all_of(text, is_printable);
  why_not = is_plain ? what_is_wrong(text) : "the URL has a character that must be escaped";
  return std::nullopt;
}

// Returns the host, in lower case, and the port of a URL, `default_port` if it has none.
std::optional<host_port> host_port_of(const boost::urls::url_view& url, std::uint16_t default_port,
                                      std::string& why_not) {
  std::string_view host = url.encoded_host();
  std::string_view both = url.encoded_host_and_port();
  const auto place = url.has_port() ? read_host_port(both) : std::nullopt;
  if (!is_host(host))
    why_not = no_host;
  else if (url.has_port() && (!place || place->port == 0))
    why_not = no_port;
  else
    return host_port{lower(without_brackets(host)), place ? place->port : default_port};
  return std::nullopt;
}

/// Reads user and password; returns the error, empty if they are absent or good.
std::string read_login(const boost::urls::url_view& url, redis_address& to) {
  if (!url.has_userinfo())
    return {};
  if (!url.has_password())
    return "the URL has a user without a password";
  to.user = url.user();
  to.password = url.password();
  return to.password.empty() ? "the URL has an empty password" : "";
}

/// Reads the database, which follows the authority: nothing, `/`, or `/` and a number.
bool read_database(const boost::urls::url_view& url, redis_address& to) {
  std::string_view path = url.encoded_path();
  if (url.has_query() || url.has_fragment())
    return false;
  auto number = path.size() < 2 ? 0 : read_number(path.substr(1));
  to.database = number.value_or(0);
  return number && *number <= INT32_MAX;
}

std::string read_into(redis_address& to, std::string_view text) {
  to.is_secure = text.starts_with("rediss://");
  if (!to.is_secure && !text.starts_with("redis://"))
    return "the URL begins with neither redis:// nor rediss://";
  std::string why_not;
  const auto url = parse_parts(text, why_not);
  auto place = url ? host_port_of(*url, to.port, why_not) : std::nullopt;
  if (!place)
    return why_not;
  to.host = std::move(place->host);
  to.port = place->port;
  why_not = read_login(*url, to);
  return !why_not.empty() || read_database(*url, to) ? why_not : "the URL has no good database";
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

std::optional<char> read_byte(std::string_view digits) {
  unsigned char value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2)
    return std::nullopt;
  return static_cast<char>(value);
}

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

bool is_http(const boost::urls::url_view_base& url) {
  return url.scheme_id() == boost::urls::scheme::http || url.scheme_id() == boost::urls::scheme::https;
}

std::uint16_t port_of(const boost::urls::url_view_base& url) {
  if (url.has_port() && !url.port().empty())
    return url.port_number();
  return url.scheme_id() == boost::urls::scheme::https ? https_port : http_port;
}

std::string_view host_of(const boost::urls::url_view_base& url) {
  auto host = url.encoded_host();
  return {host.data(), host.size()};
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return same_word(text.substr(0, prefix.size()), prefix);
}

std::string target_of(const boost::urls::url_view& url) {
  std::string_view path_and_query = url.encoded_target();
  return (path_and_query.starts_with('/') ? "" : "/") + std::string{path_and_query};
}

/// Parses an http or https URL; returns the error, empty if there is none.
std::string read_http_url(http_url& to, std::string_view text) {
  to.is_secure = begins_with(text, "https://");
  if (!to.is_secure && !begins_with(text, "http://"))
    return "the URL does not begin with http:// or https://";
  std::string why_not;
  const auto url = parse_parts(text, why_not);
  if (!url)
    return why_not;
  if (url->has_userinfo())
    return "the URL has a user in it";
  if (url->has_fragment())
    return "the URL has a fragment";
  auto place = host_port_of(*url, to.is_secure ? https_port : http_port, why_not);
  if (!place)
    return why_not;
  to.host = std::move(place->host);
  to.port = place->port;
  to.target = target_of(*url);
  return {};
}

} // namespace

std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not) {
  redis_address result;
  why_not = read_into(result, text);
  return why_not.empty() ? std::optional{std::move(result)} : std::nullopt;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      result += c;
    else
      result.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
  }
  return result;
}

url_parameters& url_parameters::add(std::string_view name, std::string_view value) {
  if (!value.empty())
    text_.append(text_.empty() ? "" : "&").append(name).append("=").append(percent_encoded(value));
  return *this;
}

std::optional<std::string> percent_decoded(std::string_view segment) {
  std::string result;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (segment[i] != '%') {
      result += segment[i];
      continue;
    }
    auto byte = read_byte(segment.substr(i + 1, 2));
    if (!byte)
      return std::nullopt;
    result += *byte;
    i += 2;
  }
  return result;
}

bool http_url::is_here() const { return is_loopback(host); }

std::string http_url::authority() const {
  auto default_port = is_secure ? https_port : http_port;
  auto both = host_port_text(host, port);
  return port == default_port ? both.substr(0, both.rfind(':')) : both;
}

std::string http_url::origin() const { return (is_secure ? "https://" : "http://") + authority(); }

std::optional<http_url> parse_http_url(std::string_view text, std::string& why_not) {
  http_url result;
  why_not = read_http_url(result, text);
  return why_not.empty() ? std::optional{std::move(result)} : std::nullopt;
}

std::string canonical_uri(std::string_view text) {
  std::string why_not;
  const auto url = parse_http_url(text, why_not);
  if (!url)
    return std::string{text};
  return url->origin() + (url->target == "/" ? "" : url->target);
}

bool same_uri(std::string_view a, std::string_view b) { return a == b || canonical_uri(a) == canonical_uri(b); }

std::optional<std::string> resolved(std::string_view base, std::string_view reference) {
  if (reference.size() > longest_url)
    return std::nullopt;
  auto from = boost::urls::parse_uri({base.data(), base.size()});
  auto to = boost::urls::parse_uri_reference({reference.data(), reference.size()});
  boost::urls::url result;
  if (!from || !to || !boost::urls::resolve(*from, *to, result))
    return std::nullopt;
  if (!is_http(result) || result.has_userinfo() || host_of(result).empty())
    return std::nullopt;
  result.remove_fragment();
  if (result.has_port() && result.port().empty())
    result.remove_port();
  return std::string{result.buffer().data(), result.buffer().size()};
}

bool same_origin(std::string_view a, std::string_view b) {
  auto one = boost::urls::parse_uri({a.data(), a.size()});
  auto other = boost::urls::parse_uri({b.data(), b.size()});
  return one && other && is_http(*one) && one->scheme_id() == other->scheme_id() &&
         same_word(host_of(*one), host_of(*other)) && port_of(*one) == port_of(*other);
}

} // namespace troupe::protocol
