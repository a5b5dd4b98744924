#include "protocol/text/url.hpp"

#include "protocol/text/words.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <boost/url/url_view.hpp>

namespace troupe::protocol {

namespace {

bool is_http(const boost::urls::url_view_base& url) {
  return url.scheme_id() == boost::urls::scheme::http || url.scheme_id() == boost::urls::scheme::https;
}

std::uint16_t port_of(const boost::urls::url_view_base& url) {
  if (url.has_port() && !url.port().empty())
    return url.port_number();
  return url.scheme_id() == boost::urls::scheme::https ? 443 : 80;
}

std::string_view host_of(const boost::urls::url_view_base& url) {
  auto host = url.encoded_host();
  return {host.data(), host.size()};
}

} // namespace

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
  return std::string{result.buffer().data(), result.buffer().size()};
}

bool same_origin(std::string_view a, std::string_view b) {
  auto one = boost::urls::parse_uri({a.data(), a.size()});
  auto other = boost::urls::parse_uri({b.data(), b.size()});
  return one && other && is_http(*one) && one->scheme_id() == other->scheme_id() &&
         same_word(host_of(*one), host_of(*other)) && port_of(*one) == port_of(*other);
}

} // namespace troupe::protocol
