#pragma once

#include "actors/hosted/call_state.hpp"
#include "actors/hosted/shared_offer.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "actors/upstream/bare_upstream.hpp"
#include "actors/upstream_messages.hpp"
#include "net/worker_pool.hpp"
#include "protocol/hosted/hosted_server.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace troupe::actors {

/// Setup that all upstreams of one hosted server share.
struct hosted_setup {
  std::string server_name;
  std::shared_ptr<shared_offer> offer;
  /// Runs a handler on a thread of the pool; returns 0 when its queue is full.
  std::function<net::worker_pool::ticket(std::function<void()>)> run;
  /// Removes a handler that still waits for a thread.
  std::function<void(net::worker_pool::ticket)> drop;
  /// Runs callbacks of the host on a separate thread: handlers may block until they were called.
  call_state::runner call_back;
  event_log log;
};

/// UPSTREAM to a server in the host's own program, for one session. Runs calls on the host's handlers. Cancels the
/// calls in flight when it ends.
class hosted_upstream_state {
public:
  using interface = hosted_upstream_actor;
  static constexpr const char* name = "upstream";

  hosted_upstream_state(pinned<interface>* self, const bare_upstream_setup& whom,
                        std::shared_ptr<const hosted_setup> setup);
  ~hosted_upstream_state();
  hosted_upstream_state(const hosted_upstream_state&) = delete;
  hosted_upstream_state& operator=(const hosted_upstream_state&) = delete;
  interface::behavior_type make_behavior();

private:
  using handlers = std::shared_ptr<const shared_offer::snapshot>;
  struct call_under_way {
    std::weak_ptr<call_state> state;
    net::worker_pool::ticket turn = 0;
  };

  void handle(to_server& msg);
  void handle(hosted_said& msg);
  std::function<void(protocol::message)> sender_for(protocol::hosted_call_id call) const;
  void cancel(const call_under_way& what);

  void carry_out(protocol::hosted_effects effects, const handlers& offered = {});
  void perform(protocol::send_client& effect, const handlers&);
  void perform(protocol::start_call& effect, const handlers& offered);
  void perform(protocol::cancel_call& effect, const handlers&);
  void perform(protocol::pass_reply& effect, const handlers&);

  pinned<interface>* self_;
  upstream_user user_;
  std::shared_ptr<const hosted_setup> setup_;
  protocol::hosted_server machine_;
  shared_offer::listener_id listener_;
  std::unordered_map<protocol::hosted_call_id, call_under_way> calls_;
};

using hosted_upstream = actor_of<hosted_upstream_state>;

} // namespace troupe::actors
