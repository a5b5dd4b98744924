#pragma once

#include "tests/simulation/exchange.hpp"
#include "tests/simulation/lease_actor.hpp"
#include "tests/simulation/session_actor.hpp"

#include "protocol/cluster/request_routing.hpp"
#include "protocol/cluster/store_effects.hpp"
#include "protocol/session/session_admission.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

class peer_actor;

/// Step of a node on its way to its stop, as `drain_step` of the product.
enum class drain_step { begin, late, last, at_once, close_sessions };

/// Mirrors `actors/session/registry.cpp`, `session_book.cpp`, `session_ownership.cpp` and `session_drain.cpp`: owns the
/// sessions and leases of a node, decides which sessions may be another node's, and lets them leave before the node
/// stops. Operators and the host are left out.
class registry_actor final : public actor {
public:
  registry_actor(std::shared_ptr<process> at, node& of, bool has_store);

  // -- from brokers, the gate and the router
  void submit(request what);
  void search(const std::string& session, ask_store question);
  void alive(std::vector<std::string> nodes);
  void restore(search_outcome what, std::uint64_t term, std::vector<request> waiting);
  void end_taken(const std::string& session);
  void change_contact(const std::string& side, bool is_cut_off);
  // -- from the store
  void disown(const std::string& session);
  void claim(session_claim how);
  void regain(const std::string& session, std::uint64_t term);
  void let_go(const std::string& session);
  void gone(const std::string& session, bool is_done);
  // -- from the stopping process and the gate
  /// `grace`: for the calls of sessions that `close_sessions` ends.
  void drain(drain_step step, std::optional<std::chrono::milliseconds> grace = {});
  void gate_closed();
  /// Ends at once, with all sessions.
  void stop();
  // -- from the handover
  /// There is another process, and this one has handed over to it unless it is the newer one.
  void know(std::shared_ptr<peer_actor> other, bool has_handed_over);
  void lose_other();
  void other_ended(const peer_actor* who);
  // -- from sessions
  /// A session is over: it takes nothing more.
  void retired(const std::string& session, std::shared_ptr<session_actor> who);
  void session_ended(const std::string& session, const session_actor* who);
  // -- from leases
  void lease_ended(const std::string& lease);

  std::size_t leases() const { return leases_.size(); }
  const std::map<std::string, std::shared_ptr<session_actor>>& sessions() const { return book_; }
  /// Whether this node does not stop.
  bool takes_new() const { return admission_.stopping().takes_new(); }

private:
  void handle(request& what);
  void begin_session(request& what);
  void handle_restore(search_outcome& what, std::uint64_t term, std::vector<request>& waiting);
  std::optional<rejection> begin_again(search_outcome& what, std::uint64_t term, const std::vector<request>& waiting);
  std::shared_ptr<session_actor> begin(const std::string& id, const std::string& owner,
                                       std::shared_ptr<persistence> kept, std::optional<restored_session> before);
  bool may_be_lost(const session_actor& one) const { return one.kept() && !one.kept()->is_ours(); }
  static bool has_held_tenure(const session_actor& one) {
    return one.kept() && one.kept()->tenure->is_unbroken(one.kept()->term);
  }
  void forward_elsewhere(request& what);
  void handle_stateless(request& what);
  void find_lease(request& what);
  void find_named_lease(request& what);
  void begin_lease(request& what, std::optional<lease_key> key);
  std::optional<lease_key> key_of(const request& what) const;
  void close(const std::shared_ptr<lease_actor>& one, const session_closing& how);
  void close_leases(const session_closing& how);
  bool sends_new_on() const { return has_handed_over_ && asks_other(request_source::client); }
  bool asks_other(request_source came) const { return other_ && !is_other_lost_ && came == request_source::client; }
  bool is_unused() const { return book_.empty() && let_go_.empty() && leases_.empty(); }
  void report_use();
  void give_up_doubtful();
  void drain_now(drain_step step);
  void close_sessions(const session_closing& how);
  void move_sessions();
  void end_when_drained();
  void ended() override;
  std::shared_ptr<session_actor> find(const std::string& id) const;

  node& node_;
  session_admission admission_;
  std::map<std::string, std::shared_ptr<session_actor>> book_;
  /// Sessions that another node has now, and whose actors have not ended.
  std::map<const session_actor*, std::shared_ptr<session_actor>> let_go_;
  /// By id, and by key those that take requests with it.
  std::map<std::string, std::shared_ptr<lease_actor>> leases_;
  std::map<std::string, std::shared_ptr<lease_actor>> leases_by_key_;
  std::set<std::string> cut_off_;
  /// Process that receives new requests after a handover.
  std::shared_ptr<peer_actor> other_;
  bool is_other_lost_ = false;
  bool has_handed_over_ = false;
  bool is_last_ = false;
  bool has_left_ = false;
};

} // namespace troupe::tests::simulation
