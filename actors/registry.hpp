#pragma once

#include "actors/messages.hpp"
#include "actors/pinned.hpp"
#include "actors/session.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::actors {

/// What the registry knows of its gateway.
struct registry_setup {
  std::size_t max_sessions = 10'000;
  /// Where sessions live, in turn; outlives the registry.
  std::vector<unit*> units;
  std::shared_ptr<const session_setup> session;
  /// Makes an id that nobody can guess.
  std::function<std::string()> make_id;
};

/// REGISTRY: knows the session of every id, owns them all, and forgets each by its end.
class registry_state {
public:
  using interface = registry_actor;
  static constexpr const char* name = "registry";

  registry_state(pinned<interface>* self, registry_setup setup);
  interface::behavior_type make_behavior();

private:
  struct known {
    session_actor session;
    protocol::transport via;
  };

  void take(client_post& msg);
  void take(client_listen& msg);
  template <class Message>
  void begin_session(Message& msg, std::string request, protocol::transport via);
  template <class Message>
  void pass_on(Message& msg, protocol::transport via);
  void collect(broker_actor to);
  void on_exit_of(const caf::exit_msg& msg);
  void end_when_drained();

  pinned<interface>* self_;
  registry_setup setup_;
  bool draining_ = false;
  std::size_t next_unit_ = 0;
  std::unordered_map<std::string, known> sessions_;
  std::map<caf::actor_addr, std::string> ids_;
};

using registry = actor_of<registry_state>;

} // namespace troupe::actors
