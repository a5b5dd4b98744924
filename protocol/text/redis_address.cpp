#include "protocol/text/redis_address.hpp"

#include "protocol/text/number.hpp"
#include "protocol/text/url_parts.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// What is wrong with the user part of the URL; empty when it is absent or good.
std::string read_login(const boost::urls::url_view& url, redis_address& to) {
  if (!url.has_userinfo())
    return {};
  if (!url.has_password())
    return "the URL has a user without a password";
  to.user = url.user();
  to.password = url.password();
  return to.password.empty() ? "the URL has an empty password" : "";
}

/// What follows the authority: nothing, `/`, or `/` and a number.
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

} // namespace

std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not) {
  redis_address result;
  why_not = read_into(result, text);
  return why_not.empty() ? std::optional{std::move(result)} : std::nullopt;
}

} // namespace troupe::protocol
