#pragma once

#include "actors/messages.hpp"
#include "actors/runtime/log.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/supervised/start_breaker.hpp"
#include "protocol/supervised/supervision_rules.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::actors {

/// Spawns a bare process or connection on a unit. A user that is given owns it; one without waits for `serve_user`.
using bare_spawner = std::function<bare_upstream_actor(unit& at, server_actor server, downstream_actor user,
                                                       const std::string& session)>;

/// What the gateway knows of one configured server.
struct server_setup {
  std::string name;
  troupe::sharing sharing = troupe::sharing::session;
  /// Processes that wait for users.
  std::size_t pool = 0;
  bool eager = false;
  /// A user of a bare process alone is enough: nothing needs a machine in between.
  bool bare_alone = true;
  /// Rules of who keeps it running; `dedicated` and `ends_users` are decided for each use.
  protocol::supervision_rules rules;
  /// Whether users of a way of its own end with its loss.
  bool ends_users = true;
  bare_spawner spawn_bare;
  /// Where its upstreams live; outlives the server.
  std::vector<unit*> units;
  std::function<std::uint64_t()> random;
  event_log log;
};

/// SERVER: one configured MCP server. Gives ways to it by the rules of its sharing; owns the one that all share, and
/// the processes that wait for users.
class server_state {
public:
  using interface = server_actor;
  static constexpr const char* name = "server";

  server_state(pinned<interface>* self, caf::actor_addr owner, std::shared_ptr<const server_setup> setup);
  interface::behavior_type make_behavior();

private:
  void give(server_wanted& msg);
  void give_shared(const server_wanted& msg);
  void give_supervised(const server_wanted& msg);
  void give_bare(const server_wanted& msg);
  void hand_over(const server_wanted& msg, upstream_actor upstream, bool own);
  void share();
  bare_upstream_actor take_warm(std::size_t unit);
  void fill_pool();
  void retire();
  void end_if_done();
  void note_try(const upstream_tried& msg);
  void report(const collector_actor& to);
  void on_exit_of(const caf::exit_msg& msg);
  protocol::supervision_rules rules_of(const server_wanted& msg) const;
  server_actor handle() { return caf::actor_cast<server_actor>(self_); }

  struct warm {
    bare_upstream_actor upstream;
    std::size_t unit = 0;
  };

  pinned<interface>* self_;
  caf::actor_addr owner_;
  std::shared_ptr<const server_setup> setup_;
  protocol::start_breaker breaker_;
  /// Why it did not start the last time.
  std::string why_not_;
  reminder reminder_;
  bool retired_ = false;
  /// When it ends, once it was removed.
  protocol::time_point gone_at_ = {};
  std::size_t next_unit_ = 0;
  supervised_upstream_actor shared_;
  std::vector<warm> pool_;
};

using server = actor_of<server_state>;

} // namespace troupe::actors
