#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/held_exchanges.hpp"
#include "tests/simulation/server_actor.hpp"

#include "protocol/modern_client/caller_lease.hpp"
#include "protocol/modern_client/lease_key.hpp"

#include <memory>
#include <string>

namespace troupe::tests::simulation {

class node;

/// Mirrors `actors/session/caller_lease.cpp`: runs `caller_lease`, which holds the server of the stateless requests of
/// one caller.
class lease_actor final : public actor, public server_user {
public:
  /// Without a key, it ends with its one request.
  lease_actor(std::shared_ptr<process> at, node& of, std::string id, std::string owner, lease_key key);

  // -- from the registry
  void submit(request what);
  void close(const session_closing& how);
  /// The registry sends nothing more.
  void released();
  /// Ends with the registry.
  void stop();
  // -- from the server
  void server_sent(message what) override;
  void server_lost(const std::string& why) override;

  const std::string& owner() const { return owner_; }
  const std::string& key() const { return key_.text; }

private:
  void tick() override;
  void ended() override;
  void handle(request& what);
  void stop_server();

  // -- effects
  void carry_out(effects all);
  void perform(forward& effect);
  void perform(reply& effect);
  void perform(reject& effect);
  void perform(end_session& effect);
  /// Other effects: a lease decides none.
  template <class Effect>
  void perform(const Effect&) {}

  node& node_;
  std::string id_;
  std::string owner_;
  lease_key key_;
  caller_lease machine_;
  std::shared_ptr<server_actor> server_;
  held_exchanges exchanges_;
  bool is_retired_ = false;
};

} // namespace troupe::tests::simulation
