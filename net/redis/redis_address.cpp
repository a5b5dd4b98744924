#include "net/redis/redis_address.hpp"

#include "net/url.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/percent.hpp"

#include <utility>

namespace troupe::net {

namespace {

constexpr std::string_view scheme = "redis://";

/// A password may have an `@` of its own: the last one ends it.
std::string parse_password(std::string_view& authority, redis_address& to) {
  auto end = authority.rfind('@');
  if (end == authority.npos)
    return {};
  auto user = authority.substr(0, end);
  authority.remove_prefix(end + 1);
  if (!user.starts_with(':'))
    return "the URL has a user in it";
  auto password = protocol::percent_decoded(user.substr(1));
  to.password = password.value_or("");
  return password ? "" : "the URL has a password with a '%' that is not encoded";
}

/// What follows the authority: nothing, `/`, or `/` and a number.
bool parse_database(std::string_view path, redis_address& to) {
  if (path.size() < 2)
    return path.empty() || path == "/";
  auto number = protocol::read_number(path.substr(1));
  to.database = number.value_or(0);
  return number.has_value() && path.starts_with('/');
}

std::string parse_into(redis_address& to, std::string_view text) {
  if (!text.starts_with(scheme))
    return "the URL does not begin with redis://";
  text.remove_prefix(scheme.size());
  auto authority = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(authority.size());
  if (auto why = parse_password(authority, to); !why.empty())
    return why;
  if (auto why = parse_authority(authority, to.port, to.host, to.port); !why.empty())
    return why;
  return parse_database(text, to) ? "" : "the URL has no good database";
}

} // namespace

std::optional<redis_address> parse_redis_address(std::string_view text, std::string& why_not) {
  redis_address result;
  why_not = parse_into(result, text);
  return why_not.empty() ? std::optional{std::move(result)} : std::nullopt;
}

} // namespace troupe::net
