#pragma once

#include "protocol/cluster/lost_members.hpp"
#include "protocol/cluster/member_news.hpp"
#include "protocol/cluster/membership_effects.hpp"
#include "protocol/cluster/node_addresses.hpp"
#include "protocol/cluster/remembered_members.hpp"
#include "protocol/cluster/store_contact.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Configuration of a node's membership: the node itself, and where to look for others.
struct membership_options : address_options {
  node_card self;
  /// Time after which the members count as known, even if some addresses have not answered.
  std::chrono::milliseconds settle = std::chrono::seconds{5};
  /// Time for which a node without members waits for others to find it. After a restart it does not know their
  /// addresses, but they call its address again.
  std::chrono::milliseconds alone = std::chrono::seconds{0};
  /// Silence after which other nodes drop a node; zero if they wait longer than any pause of this node lasts.
  std::chrono::milliseconds silence = std::chrono::seconds{0};
  /// How long another node's tenure may run while this node's does not, see `store_contact`.
  std::chrono::milliseconds store_patience = std::chrono::seconds{15};
  /// Whether the members are kept across a restart, see `next_remembered`.
  bool remembers = false;
  /// The members that were kept by the last run; none on the first start. A node that knows them does not wait `alone`.
  std::optional<std::vector<std::string>> remembered = {};
};

/// Members of the cluster: decides which nodes to accept, at any of the `node_addresses`. A member keeps its name until
/// it is lost; then a restarted node may take it. Two nodes have one link. Of two made at the same time, the link
/// dialled by the node with the greater life stays. Facts in, effects out.
class membership {
public:
  membership(membership_options options, std::uint64_t seed, time_point now);

  // -- facts
  membership_effects begin(time_point now);
  /// Takes the result of a look-up; no addresses if there are none or the look-up failed.
  membership_effects looked_up(const std::string& name, const std::vector<std::string>& addresses, time_point now);
  /// A node answered at the `address` that we dialled, or, if that is empty, called us.
  membership_effects offered(link_id link, const std::string& address, const node_card& who, time_point now);
  /// The call to `address` has failed. `who` is the node there, if it is known. `is_refused`: no process listens
  /// there.
  membership_effects dial_failed(const std::string& address, const std::string& why,
                                 const std::optional<node_card>& who, time_point now, bool is_refused = false);
  /// The link works: CAF has found the gate of the node at its other end.
  membership_effects reached(link_id link);
  membership_effects greeted(link_id link, const node_hello& hello, time_point now);
  /// `has_left`: the node at the other end announced that it leaves.
  membership_effects link_lost(link_id link, time_point now, bool has_left = false);
  /// CAF cannot tell the node at the other end from this node or a third one: messages may reach the wrong node.
  membership_effects misidentified(link_id link, time_point now);
  /// Announces whether this node refuses new sessions.
  membership_effects drain(bool is_so = true);
  /// Whether this node's tenure in the store runs; never called without a store.
  membership_effects tenure_runs(bool is_so);
  membership_effects tick(time_point now);

  /// When `tick` has something to do. After a `tick` later than `silence` the others have lost this node: it looks for
  /// them again. After a shorter pause they may have; then a lost link proves it.
  time_point deadline() const;
  bool settled() const { return settled_; }
  /// Addresses of members to keep across a restart from now on; empty if nothing has changed. To be called after each
  /// fact.
  std::optional<std::vector<std::string>> next_remembered(time_point now);
  /// The link to a node; empty if there is none.
  std::optional<link_id> link_to(node_life life) const;
  /// The member at the other end of a link; empty if the link has none.
  std::optional<node_life> member_at(link_id id) const;
  std::vector<known_node> nodes() const;

private:
  struct link {
    /// Address that this node dialled; empty if the other side dialled.
    std::string dialled;
    node_card who;
    bool greeted = false;
    /// Number of joins before this node's first greeting, which had the addresses of these members.
    std::uint64_t told = 0;
    /// Deadline for the greeting of the node at the other end.
    time_point until = {};
  };
  struct member {
    link_id link = 0;
    node_life life;
    std::string address;
    bool draining = false;
    bool has_tenure = false;
    /// Number of its join: greater for each later one.
    std::uint64_t joined = 0;

    /// Returns whether the other parts of this node must know.
    bool update(const node_hello& hello) {
      has_tenure = hello.has_tenure;
      return std::exchange(draining, hello.draining) != hello.draining;
    }
  };

  /// Tests of a node by its name, for `addresses_`.
  node_addresses::node_test is_linked() const;
  node_addresses::node_test is_member() const;

  bool is_news(const std::string& name, const std::string& why);
  bool was_silent_for(std::chrono::milliseconds time, time_point now) const;
  /// Shortest pause that may make others drop this node: the last message may have left `silence / 4` before the pause.
  std::chrono::milliseconds least_costly_pause() const { return options_.silence - options_.silence / 4; }
  void wake(time_point now, membership_effects& out);
  void give_up_silent(time_point now, membership_effects& out);

  std::string why_not(const node_card& who, bool we_dialled) const;
  bool gives_way(const link& other, bool we_dialled) const;
  void identified(const std::string& address, const node_card& who);
  void tell_ended(std::vector<node_life> which, membership_effects& out) const;
  void accept(link_id id, const std::string& address, const node_card& who, time_point now, membership_effects& out);
  void refuse(link_id id, const std::string& address, const node_card& who, std::string why, time_point now,
              membership_effects& out);
  void join(link_id id, const node_hello& hello, time_point now, membership_effects& out);
  bool drop(link_id id, time_point now);
  node_hello hello(std::vector<std::string> addresses = {}) const;
  node_hello full_hello(std::uint64_t joins = 0, const std::unordered_set<std::string_view>& there = {}) const;
  void greet_all(membership_effects& out, const std::vector<std::string>& news = {});
  void spread_news(time_point now, membership_effects& out);
  void watch_store(time_point now, membership_effects& out);
  void settle(time_point now, membership_effects& out);
  /// Time when the members count as known, even if some addresses have not answered.
  time_point settled_by() const;
  void tell(membership_effects& out) const { out.push_back(members_known{nodes(), settled_}); }

  membership_options options_;
  node_addresses addresses_;
  time_point begun_;
  time_point ticked_;
  /// After a pause of this node, end of the time in which a lost link means that others dropped it.
  time_point doubts_until_ = time_point::min();
  bool settled_ = false;
  bool draining_ = false;
  /// Empty without a store.
  std::optional<bool> has_tenure_;
  store_contact store_;
  std::map<link_id, link> links_;
  /// Links by the lives, and by the names, of the nodes at their other ends. Each node has one link.
  std::map<node_life, link_id> links_by_life_;
  std::map<std::string, link_id> links_by_name_;
  /// Deadlines of the links whose node is not a member yet.
  std::set<std::pair<time_point, link_id>> new_links_;
  std::map<std::string, member> members_;
  /// Number of joins so far.
  std::uint64_t joins_ = 0;
  member_news news_;
  /// Name of the member that has last received all addresses again.
  std::string reminded_;
  lost_members lost_;
  /// Empty unless the members are kept across a restart.
  std::optional<remembered_members> memory_;
  /// Last logged reason for refusing a node, by name.
  std::map<std::string, std::string> refusals_;
};

} // namespace troupe::protocol
