#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/held_exchanges.hpp"
#include "tests/simulation/model.hpp"
#include "tests/simulation/server_actor.hpp"

#include "actors/cluster_state.hpp"
#include "protocol/cluster/store_writes.hpp"
#include "protocol/session/session.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::tests::simulation {

class node;

/// How a session survives its node, see `session_persistence` of the product.
struct persistence {
  std::shared_ptr<const actors::tenure> tenure;
  /// Term of the tenure by which the record is this node's; changed by the registry.
  std::uint64_t term = 0;
  bool is_doubted = false;

  bool is_ours() const { return !is_doubted && tenure->keeps(term); }
  bool awaits_claim(std::uint64_t in) const { return is_doubted || term < in; }
};

/// Mirrors `actors/session/session.cpp` and `request_records.cpp`: runs `session` with `held_effects`. Metrics, traces,
/// access rules and merged servers are left out.
class session_actor final : public actor, public acting_session, public server_user {
public:
  session_actor(std::shared_ptr<process> at, node& of, std::string id, std::string owner,
                std::shared_ptr<persistence> kept);

  /// `before`: what the store has of a session whose node is gone.
  void begin(std::optional<restored_session> before);
  // -- from clients
  void submit(request what);
  // -- from the server
  void server_sent(message what) override;
  void server_lost(const std::string& why) override;
  // -- from the registry
  void disown();
  void claim(session_claim how);
  void regained();
  void forgotten(bool is_done);
  void depart();
  /// The registry sends nothing more.
  void released();
  void close(session_closing how);
  /// Ends with the registry.
  void stop();

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }
  const std::shared_ptr<persistence>& kept() const { return kept_; }
  bool acts() const override;
  bool lives() const override { return !has_ended() && !is_over_ && !is_retired_ && at().is_alive; }
  bool is_kept() const override { return kept_ != nullptr; }
  std::string place() const override { return at().name; }
  std::size_t host() const override;

private:
  void tick() override;
  void ended() override;
  bool is_ours() const;
  void handle(request& what);
  void claim_now(session_claim how);
  void step_down(std::string_view why);
  /// Whether the client of a POST waits, and no stream has begun.
  bool awaits_answer(exchange_id which) const;
  void close_listening_streams();
  void leave();
  void retire();
  void stop_server();

  // -- effects
  void carry_out(effects all);
  void perform_all(effects& all);
  void tell(const stream_part& part);
  void answer_exchange(exchange_id which, answer what);
  void perform(forward& effect);
  void perform(reply& effect);
  void perform(accept& effect) { answer_exchange(effect.exchange, {.is = answer::kind::accepted}); }
  void perform(reject& effect);
  void perform(confirm_end& effect);
  void perform(remember& effect);
  void perform(keep_event& effect);
  void perform(hand_over&);
  void perform(pass_on& effect);
  void perform(forget_session&);
  void perform(end_session& effect);
  void perform(open_stream&) {}
  void perform(publish&) {}
  void perform(end_stream&) {}

  node& node_;
  std::string id_;
  std::string owner_;
  std::shared_ptr<persistence> kept_;
  session machine_;
  held_effects held_{nullptr};
  std::shared_ptr<server_actor> server_;
  held_exchanges exchanges_;
  bool has_let_go_ = false;
  bool is_over_ = false;
  bool is_retired_ = false;
};

} // namespace troupe::tests::simulation
