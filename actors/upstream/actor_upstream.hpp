#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/troupe/caf.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream_messages.hpp"

#include <memory>
#include <string>

namespace troupe::actors {

/// Settings shared by all upstreams of one server that is made of host actors.
struct actor_setup {
  std::string server_name;
  std::shared_ptr<const actor_maker> host;
  event_log log;
};

using actor_upstream_actor = bare_upstream_actor::extend<caf::reacts_to<server_said>>;

/// Limits of unread messages in the mailbox of a host's actor. At the first limit requests are refused. At the second,
/// other messages are dropped: their client does not wait for answers.
inline constexpr std::size_t most_unread_requests = 1000;
inline constexpr std::size_t most_unread = 2 * most_unread_requests;

/// UPSTREAM that is an actor of the host: passes texts between that actor and the user, and ends with either.
class actor_upstream_state {
public:
  using interface = actor_upstream_actor;
  static constexpr const char* name = "upstream";

  actor_upstream_state(pinned<interface>* self, const bare_upstream_setup& whom,
                       std::shared_ptr<const actor_setup> setup);
  ~actor_upstream_state();
  actor_upstream_state(const actor_upstream_state&) = delete;
  actor_upstream_state& operator=(const actor_upstream_state&) = delete;
  interface::behavior_type make_behavior();

private:
  void begin();
  std::string make_server();
  void handle(to_server& msg);
  void pass(std::string text);
  void receive_text(std::string text);
  void lose(const std::string& why);
  mcp_client as_client() const { return caf::actor_cast<mcp_client>(self_); }

  pinned<interface>* self_;
  std::shared_ptr<const actor_setup> setup_;
  upstream_user user_;
  mcp_server server_;
  /// Messages that the actor has not handled yet.
  std::size_t unread_ = 0;
};

using actor_upstream = actor_of<actor_upstream_state>;

} // namespace troupe::actors
