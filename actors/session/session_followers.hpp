#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/pinned.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// Operators that follow a session or a lease, in its actor. Each has the broker of its exchange, which receives every
/// message between client and servers until it or the session ends. Usually there are none.
class session_followers {
public:
  explicit session_followers(pinned<session_actor>* self) : self_{self} {}

  void add(follow_request& msg);
  /// Removes the follower of an ended broker, if there is one.
  void gone(const caf::actor_addr& broker);
  bool empty() const { return all_.empty(); }

  // Call only while there are followers.
  void client_said(const protocol::message& what) { tell(what, "client", what.id); }
  /// `id` is the client's id of a response; otherwise the message's own.
  void server_said(const protocol::message& what, std::string_view id) { tell(what, "server", id); }
  /// Ends all followers: the session has ended.
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
