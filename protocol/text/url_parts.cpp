#include "protocol/text/url_parts.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <boost/url/authority_view.hpp>
#include <boost/url/parse.hpp>

namespace troupe::protocol {

namespace {

constexpr auto no_host = "the URL has no good host";
constexpr auto no_port = "the URL has no good port";

bool is_printable(char c) { return c > ' ' && c < 0x7f; }

/// Up to the colon before its port, and with its brackets.
std::string_view host_before_port(std::string_view place) {
  return place.substr(0, place.starts_with('[') ? place.find(']') + 1 : place.find(':'));
}

/// Why the text is no URL.
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

} // namespace

std::optional<boost::urls::url_view> parse_parts(std::string_view text, std::string& why_not) {
  auto parsed = boost::urls::parse_uri({text.data(), text.size()});
  // Boost.URL 1.81 lets a path follow an IPv6 address without its slash.
  if (parsed && (parsed->encoded_path().empty() || parsed->is_path_absolute()))
    return *parsed;
  auto is_plain = std::ranges::all_of(text, is_printable);
  why_not = is_plain ? what_is_wrong(text) : "the URL has a character that must be escaped";
  return std::nullopt;
}

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

} // namespace troupe::protocol
