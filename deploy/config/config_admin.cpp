#include "deploy/config/config_admin.hpp"

#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_path.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/text/host_port.hpp"

#include <string>
#include <tuple>
#include <utility>

namespace troupe::deploy {

namespace {

void read_admin_listen(const config_value& value, config_variables& variables, admin_options& to) {
  const auto written = value.filled_text();
  const auto text = written ? variables.expanded(*written, value) : written;
  if (!text)
    return;
  const auto place = protocol::read_host_port(*text);
  if (protocol::is_unix_socket(*text))
    to.host = *text;
  else if (!place)
    value.error("must be " + std::string(protocol::host_port_form) + ", or unix: and the path of a socket");
  else
    std::tie(to.host, to.port) = std::tie(place->host, place->port);
}

} // namespace

void read_admin(const config_value& section, config_variables& variables, admin_options& to) {
  for (const auto& member : section.members()) {
    if (member.name == "listen")
      read_admin_listen(member.value, variables, to);
    else if (member.name == "content")
      to.content = member.value.truth().value_or(to.content);
    else if (member.name == "open")
      to.open = member.value.truth().value_or(to.open);
    else if (member.name != "tokenFile")
      warn_of_unknown(member, admin_keys());
    else if (auto path = readable_path(member.value, variables))
      to.token_file = std::move(*path);
  }
}

std::vector<std::string_view> admin_keys() { return {"content", "listen", "open", "tokenFile"}; }

} // namespace troupe::deploy
