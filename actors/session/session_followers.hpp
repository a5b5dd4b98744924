#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// The operators who follow a session or a lease, in its actor: each by the broker of his exchange, which is told of
/// every message between the client and its servers until it goes or the session ends. Most of the time nobody does.
class session_followers {
public:
  explicit session_followers(pinned<session_actor>* self) : self_{self} {}

  void add(follow_request& msg);
  /// A broker has ended; nothing happens when it was no follower's.
  void gone(const caf::actor_addr& broker);
  bool empty() const { return all_.empty(); }

  // Only while there are some.
  void client_said(const protocol::message& what) { tell(what, "client", what.id); }
  /// `id` is the one that the client knows a response by; otherwise the message's own.
  void server_said(const protocol::message& what, std::string_view id) { tell(what, "server", id); }
  /// The session has ended.
  void end();

private:
  struct follower {
    broker_actor broker;
    bool content;
  };

  void tell(const protocol::message& what, std::string_view from, std::string_view id);

  pinned<session_actor>* self_;
  std::vector<follower> all_;
};

} // namespace troupe::actors
