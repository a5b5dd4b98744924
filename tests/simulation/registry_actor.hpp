#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/session_actor.hpp"

#include "protocol/cluster/store_effects.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// Mirrors `actors/session/registry.cpp`, `session_book.cpp` and `session_ownership.cpp`: owns the sessions of a node,
/// and decides which of them may be another node's. Leases, operators and the host are left out.
class registry_actor final : public actor {
public:
  registry_actor(std::shared_ptr<process> at, node& of) : actor{std::move(at)}, node_{of} {}

  // -- from brokers, the gate and the router
  void submit(request what);
  void restore(search_outcome what, std::uint64_t term, std::vector<request> waiting);
  void end_taken(const std::string& session);
  void change_contact(const std::string& side, bool is_cut_off);
  // -- from the store
  void disown(const std::string& session);
  void claim(session_claim how);
  void regain(const std::string& session, std::uint64_t term);
  void let_go(const std::string& session);
  void gone(const std::string& session, bool is_done);
  // -- from sessions
  /// A session is over: it takes nothing more.
  void retired(const std::string& session, std::shared_ptr<session_actor> who);
  void session_ended(const std::string& session, const session_actor* who);

  const std::map<std::string, std::shared_ptr<session_actor>>& sessions() const { return book_; }

private:
  void handle(request& what);
  void begin_session(request& what);
  void handle_restore(search_outcome& what, std::uint64_t term, std::vector<request>& waiting);
  std::optional<rejection> begin_again(search_outcome& what, std::uint64_t term, const std::vector<request>& waiting);
  std::shared_ptr<session_actor> begin(const std::string& id, const std::string& owner,
                                       std::shared_ptr<persistence> kept, std::optional<restored_session> before);
  bool may_be_lost(const session_actor& one) const { return one.kept() && !one.kept()->is_ours(now()); }
  static bool has_held_tenure(const session_actor& one) {
    return one.kept() && one.kept()->tenure->is_unbroken(one.kept()->term);
  }
  void give_up_doubtful();
  std::shared_ptr<session_actor> find(const std::string& id) const;

  node& node_;
  std::map<std::string, std::shared_ptr<session_actor>> book_;
  std::set<std::string> cut_off_;
};

} // namespace troupe::tests::simulation
