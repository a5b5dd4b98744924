#include "protocol/text/url.hpp"

#include "protocol/text/url_parts.hpp"
#include "protocol/text/words.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <utility>

namespace troupe::protocol {

namespace {

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

/// What is wrong with it; empty when nothing is.
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
