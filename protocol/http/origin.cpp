#include "protocol/http/origin.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace troupe::protocol {

namespace {

bool is_loopback_name(std::string_view host) {
  return same_word(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

/// An origin is scheme, host and port, and nothing else: `http://localhost:1@evil.com` is not an origin of this
/// machine.
bool is_loopback_origin(std::string_view origin) {
  auto parsed = boost::urls::parse_uri({origin.data(), origin.size()});
  if (!parsed || parsed->has_userinfo() || !parsed->encoded_path().empty() || parsed->has_query() ||
      parsed->has_fragment())
    return false;
  auto host = parsed->encoded_host();
  auto scheme = parsed->scheme();
  return (scheme == "http" || scheme == "https") && is_loopback_name({host.data(), host.size()});
}

bool is_port(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_port(std::string_view host) {
  auto colon = host.rfind(':');
  if (colon == host.npos || !is_port(host.substr(colon + 1)))
    return host;
  return host.substr(0, colon);
}

} // namespace

bool origin_allowed(std::string_view origin, const std::vector<std::string>& allowed) {
  auto admits = [&](const std::string& one) { return one == "*" || same_word(one, origin); };
  return is_loopback_origin(origin) || std::any_of(allowed.begin(), allowed.end(), admits);
}

bool host_allowed(std::string_view host, const std::vector<std::string>& allowed) {
  auto admits = [&](const std::string& one) {
    return one == "*" || same_word(one, host) || same_word(one, without_port(host));
  };
  return !host.empty() && std::any_of(allowed.begin(), allowed.end(), admits);
}

bool host_is_local(std::string_view host, std::string_view bound_to) {
  auto name = without_port(host);
  return is_loopback_name(name) || (!bound_to.empty() && same_word(name, bound_to));
}

} // namespace troupe::protocol
