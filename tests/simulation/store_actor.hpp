#pragma once

#include "tests/simulation/redis_line.hpp"

#include "actors/cluster_state.hpp"
#include "protocol/cluster/session_store.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

class node;

/// Mirrors `actors/cluster/redis_store.cpp`: runs `session_store` over three connections to the store.
class store_actor final : public actor {
public:
  store_actor(std::shared_ptr<process> at, node& of, redis_server& to, std::chrono::milliseconds tenure_time,
              std::string owner);

  void begin();
  // -- from sessions
  void saved(const std::string& session, std::string record, std::uint64_t term);
  void claimed(const std::string& session, std::string record, session_claim how);
  void event_saved(const std::string& session, saved_event what, std::uint64_t term);
  void forgotten(const std::string& session, std::uint64_t term);
  void abandoned(const std::string& session);
  void handed_over(const std::string& session, std::uint64_t term);
  // -- from the router and the registry
  void search(const std::string& session, std::vector<std::string> alive, std::string uncertain_owner);
  void alive(std::vector<std::string> nodes);
  void returned(const std::string& session, std::uint64_t taken);
  /// Sends all waiting writes, ends the tenure, and quits.
  void end();
  /// Breaks one of the connections.
  void break_line(store_connection which) { lines_[static_cast<std::size_t>(which)]->lose("it is broken"); }

  const std::shared_ptr<actors::tenure>& ours() const { return ours_; }

private:
  void tick() override;
  bool is_current(std::uint64_t term) const { return term == ours_->term(); }
  bool may_write(const std::string& session, std::uint64_t term);
  redis_line& line(store_connection by) { return *lines_[static_cast<std::size_t>(by)]; }
  void plan() { remind_by_boot(machine_.deadline()); }
  time_point now() const { return boot_now(); }

  void carry_out(store_effects effects);
  void perform(const renew_tenure& effect);
  void perform(const extend_tenure& effect);
  void perform(const move_tenure& effect) { ours_->move(effect.until); }
  void perform(const end_tenure&);
  void perform(const claim_again& effect);
  void perform(const protocol::claimed& effect);
  void perform(const doubt_session& effect);
  void perform(const end_foreign_session& effect);
  void perform(const let_go& effect);
  void perform(const session_gone& effect);
  void perform(const take_over_session& effect);
  void perform(search_outcome& effect);
  void perform(const log_note& effect) { at().note(effect.text); }
  void leave();
  void send_waiting();
  void send(store_write what);
  void found(search_result what);

  node& node_;
  std::string owner_;
  std::shared_ptr<actors::tenure> ours_ = std::make_shared<actors::tenure>([at = home()] { return at->boot_now(); });
  session_store machine_;
  std::set<std::string> sought_;
  std::vector<std::shared_ptr<redis_line>> lines_;
  redis_server& to_;
  span_of_time limit_;
};

} // namespace troupe::tests::simulation
