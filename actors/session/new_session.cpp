#include "actors/session/new_session.hpp"

#include "net/crypto.hpp"
#include "protocol/ids.hpp"
#include "protocol/text/base_encodings.hpp"

#include <utility>

namespace troupe::actors {

void note_begin(const event_log& log, const char* what, std::string_view id, const std::string& request) {
  std::vector<std::pair<std::string, std::string>> facts{{"session", protocol::shown(id)}};
  if (!request.empty())
    facts.emplace_back("request_id", request);
  log(log_level::debug, what, std::move(facts));
}

std::function<std::vector<std::string>(std::string_view)> seal_for(const protocol::caller& caller,
                                                                   std::shared_ptr<const session_setup> setup) {
  return [setup = std::move(setup), whose = protocol::identity_of(caller) + ' '](std::string_view text) {
    std::vector<std::string> result;
    for (const auto& key : setup->seal_keys())
      result.push_back(protocol::hex(net::keyed_digest(key, whose + std::string{text})));
    return result;
  };
}

/// Anonymous clients are not told apart, so their cursors need no seal.
session_servers::servers servers_of(registry_actor registry, new_session& what,
                                    const std::shared_ptr<const session_setup>& setup) {
  auto is_lease = what.via == protocol::transport::stateless;
  return {.registry = std::move(registry),
          .shown = protocol::shown(what.id),
          .caller = what.caller,
          .server = std::move(what.server),
          .access = std::move(what.access),
          .peer = std::move(what.peer),
          .roots = what.roots,
          .is_local = what.is_local,
          .members = std::move(what.members),
          .what_for = is_lease ? upstream_request::use::lasting : upstream_request::use::alone,
          .catalog = setup->catalog,
          .seal = what.caller ? seal_for(what.caller, setup) : protocol::cursor_seal{}};
}

} // namespace troupe::actors
