#pragma once

#include "tests/simulation/redis.hpp"
#include "tests/simulation/scale_links.hpp"

#include "protocol/cluster/request_routing.hpp"
#include "protocol/cluster/session_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

/// How sessions are used and kept.
struct session_load {
  std::size_t sessions = 1'000'000;
  /// Calls of a session in a second.
  double calls = 0.1;
  /// How often the record of a session in use is written, see `record_age`.
  span_of_time refresh = 1min;
  std::size_t restores_a_second = 50;
};

/// Bytes and times of the store's commands, as measured with Redis and the scripts of the product.
struct store_costs {
  span_of_time renew = 15us;
  span_of_time save = 30us;
  span_of_time take = 25us;
  std::size_t renew_bytes = 610;
  std::size_t save_bytes = 1440;
  std::size_t take_bytes = 1480;
};

/// Commands that the store has carried out.
struct store_traffic {
  std::uint64_t renewals = 0;
  std::uint64_t records = 0;
  std::uint64_t searches = 0;
  std::uint64_t bytes = 0;
  span_of_time busy = {};
  std::uint64_t commands() const { return renewals + records + searches; }
};

/// Recovery of the sessions of a node that died.
struct recovery {
  std::size_t sessions = 0;
  std::size_t restored = 0;
  /// Time from the death to the first and to the last session that another node has taken.
  span_of_time first = {};
  span_of_time last = {};
  std::uint64_t refused = 0;
};

/// The sessions of a large cluster in the store: a real `session_store` and `restore_pace` for each node, on one server
/// that carries out a command after the other. Sessions are numbers with an owner, a time to be written, and calls.
class scale_store {
public:
  scale_store(scheduler& time, scale_links& links, std::chrono::milliseconds heartbeat, const session_load& load,
              const store_costs& costs = {});

  void start(std::size_t node);
  /// `leaves`: the node ends its tenure.
  void stop(std::size_t node, bool leaves);
  /// Spreads all sessions over the nodes that run, and writes them from now on.
  void begin_sessions();
  /// The clients of a node that has died now call other nodes.
  void lose_sessions(std::size_t node);

  store_traffic take_traffic() { return std::exchange(traffic_, {}); }
  const recovery& last_recovery() const { return recovery_; }
  bool has_tenure(std::size_t node) const { return users_[node].has_tenure; }

private:
  struct user {
    std::uint64_t run = 0;
    std::string owner;
    std::unique_ptr<session_store> machine;
    std::unique_ptr<restore_pace> pace;
    bool has_tenure = false;
    std::vector<std::uint32_t> sessions;
    /// The next of `sessions` to be written.
    std::size_t next = 0;
    double due = 0;
    time_point reminded = time_point::max();
    time_point paced = time_point::max();
  };
  using fact = std::function<void(user&)>;

  std::size_t index_of(const user& one) const { return static_cast<std::size_t>(&one - users_.data()); }
  void later(const user& at, time_point when, fact what);
  /// When the store has carried out a command, and the answer is back.
  time_point served(span_of_time cost, std::size_t bytes);
  void remind(user& at);
  void refresh(user& at);
  void carry_out(user& at, store_effects effects);
  void perform(user& at, const renew_tenure& effect);
  void perform(user& at, const extend_tenure&) { note_tenure(at, true); }
  void perform(user& at, const end_tenure&) { note_tenure(at, false); }
  void perform(user& at, const take_over_session& effect);
  void perform(user& at, const search_outcome& effect);
  template <class Effect>
  void perform(user&, const Effect&) {}
  void note_tenure(user& at, bool runs);
  void send_writes(user& at);
  void call(std::uint32_t session);
  void call_later(std::uint32_t session, span_of_time time);
  void search(user& at, std::uint32_t session);
  void search_due(user& at);
  void note_restored();

  scheduler& time_;
  scale_links& links_;
  session_load load_;
  store_costs costs_;
  redis_data data_;
  std::vector<user> users_;
  time_point busy_until_ = {};
  store_traffic traffic_;
  /// Number of the last death of a node. Clients of nodes that died earlier call no more.
  std::size_t death_ = 0;
  node_life dead_life_;
  time_point died_at_ = {};
  recovery recovery_;
};

} // namespace troupe::tests::simulation
