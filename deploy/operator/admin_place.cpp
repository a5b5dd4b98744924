#include "deploy/operator/admin_place.hpp"

#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

namespace troupe::deploy {

std::optional<admin_place> read_admin_place(std::string_view text) {
  if (protocol::is_unix_socket(text))
    return admin_place{std::string{text}, "http://localhost", std::string{text.substr(protocol::unix_prefix.size())}};
  std::string why_not;
  const auto url = protocol::parse_http_url(text, why_not);
  if (!url || url->is_secure || url->target.find('?') != url->target.npos)
    return std::nullopt;
  const auto end = text.find_last_not_of('/') + 1;
  const std::string base{text.substr(0, end)};
  return admin_place{base, base, {}};
}

} // namespace troupe::deploy
