#pragma once

#include "tests/simulation/actor.hpp"
#include "tests/simulation/network.hpp"

#include "protocol/cluster/membership.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe::tests::simulation {

/// A member node other than this one, and the link by which its gate and its router are reached.
struct member_node {
  known_node node;
  std::shared_ptr<link_end> link;
};
/// Replaces the list of other members. More may follow until `settled`.
struct cluster_members {
  std::vector<member_node> nodes;
  bool settled = false;
  std::vector<node_life> ended = {};
};

/// Mirrors `actors/cluster/cluster.cpp`: runs `membership`, owns the links. The gate and the router of another node are
/// known by their link; that CAF may take two nodes for one is left out.
class cluster_actor final : public actor {
public:
  cluster_actor(std::shared_ptr<process> at, node& of, network& net, const membership_options& options);

  void begin();
  // -- from the network
  /// A call of this node has reached the other side, which has not decided.
  void keep_dialling(const std::shared_ptr<link_end>& end) { dialling_.emplace(end.get(), end); }
  void offer(const std::shared_ptr<link_end>& end, node_card who);
  void dial_failed(const std::string& address, const std::string& why, std::optional<node_card> who,
                   bool is_refused = false);
  /// Both sides have decided: this one, which dialled, looks for the gate of the other.
  void opened(const std::shared_ptr<link_end>& end);
  void reached(const std::shared_ptr<link_end>& end);
  void closed(const std::shared_ptr<link_end>& end);
  /// The gate at the other end of a link has ended; a `normal` one owes no answer.
  void gate_gone(const std::shared_ptr<link_end>& end, bool is_normal);
  // -- from the gate
  void greeted(node_hello hello);
  void gate_ended(bool is_normal);
  // -- from the registry
  void drains();
  /// Ends once the other nodes have heard of it.
  void leave();

  std::vector<known_node> members() const { return machine_.nodes(); }
  bool is_settled() const { return machine_.settled(); }

private:
  struct link {
    std::shared_ptr<link_end> end;
    bool has_gate = false;
  };

  time_point now() const { return boot_now(); }
  void tick() override;
  void lose(link_id id, bool has_left = false);
  void decline(link_id id);
  void leave_now();
  void leave_by(span_of_time limit);
  void end_when_left();
  void ended() override;
  void carry_out(membership_effects effects);
  void perform(look_up& effect);
  void perform(dial& effect);
  void perform(accept_link& effect);
  void perform(refuse_link& effect);
  void perform(cut_link& effect);
  void perform(greet& effect);
  void perform(members_known& effect);
  void perform(store_cut_off& effect);
  void perform(log_note& effect);

  node& node_;
  network& net_;
  membership machine_;
  bool drains_ = false;
  /// Time at which this actor ends, even if other nodes still hold links to it.
  std::optional<time_point> leaves_by_;
  link_id last_ = 0;
  std::map<link_id, link> links_;
  std::map<const link_end*, std::shared_ptr<link_end>> dialling_;
};

} // namespace troupe::tests::simulation
