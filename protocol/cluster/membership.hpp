#pragma once

#include "protocol/cluster/membership_effects.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Whether this node alone has lost the store. A store that is away for all is waited for; if another node reaches it,
/// what this node keeps there is to be left to the others.
///
/// Another's lease may run for a while after it was renewed last. So it has to run, while this node's does not, for
/// longer than a tenure, and then for as long as this node may take to find a store that is back.
class store_contact {
public:
  explicit store_contact(std::chrono::milliseconds patience) : patience_{patience} {}

  /// Whether this node's tenure runs, and that of any other node, as that says. Returns whether `is_cut_off` has
  /// changed.
  bool update(bool own_runs, bool another_runs, time_point now);
  bool is_cut_off() const { return is_cut_off_; }

private:
  std::chrono::milliseconds patience_;
  /// Since when this node's lease does not run, and another's does.
  std::optional<time_point> since_;
  bool is_cut_off_ = false;
};

/// Which callers that are turned away are worth a line in the log: an address once for each reason, and not many in an
/// hour, whoever calls.
class turned_away {
public:
  static constexpr auto period = std::chrono::hours{1};
  /// In a period: lines about those who may be nodes, and as many about strangers.
  static constexpr std::size_t most = 32;

  /// A stranger says nothing that is like a node; any other may be one that somebody has to mend.
  std::optional<log_note> add(const std::string& address, const std::string& why, bool is_stranger, time_point now);

private:
  using reasons = std::set<std::pair<std::string, std::string>>;

  time_point until_ = time_point::min();
  reasons of_nodes_;
  reasons of_strangers_;
};

/// What a node knows of itself and of where others may be.
struct membership_options {
  node_card self;
  /// `HOST:PORT` at which others reach it.
  std::string address;
  /// `HOST:PORT` of others; of a name, all its addresses.
  std::vector<std::string> seeds;
  /// Members are counted as known after this long, whoever has not answered.
  std::chrono::milliseconds settle = std::chrono::seconds{5};
  /// Whoever says nothing for this long is lost to the others; when zero, they are more patient than any pause here.
  std::chrono::milliseconds silence = std::chrono::seconds{0};
  /// How long another's lease in the store may run while this node's does not, see `store_contact`.
  std::chrono::milliseconds store_patience = std::chrono::seconds{15};
  /// How often names are looked up again.
  std::chrono::milliseconds look_up = std::chrono::seconds{5};
  /// Pauses between attempts to reach an address: the first, doubled up to the longest.
  std::chrono::milliseconds first_pause = std::chrono::milliseconds{250};
  std::chrono::milliseconds longest_pause = std::chrono::seconds{2};
  /// Of two nodes the one whose address is greater calls the other, who calls by itself only after this long: of two
  /// calls at a time one is in vain.
  std::chrono::milliseconds courtesy = std::chrono::seconds{1};
  /// An address that neither names nor members speak of any more is forgotten after this long.
  std::chrono::milliseconds memory = std::chrono::minutes{1};
  /// Addresses that are known at a time.
  std::size_t most = 256;
};

/// The other nodes of the cluster: which addresses to try, and which nodes to accept. A member keeps its name until it
/// is lost; then a restarted node may take it. Two nodes have one link; of two that are made at the same time they keep
/// the one that the node with the greater life dialled. Facts in, effects out.
class membership {
public:
  membership(membership_options options, std::uint64_t seed, time_point now);

  // -- facts
  membership_effects begin(time_point now);
  /// No addresses when there are none, or nobody knows.
  membership_effects looked_up(const std::string& name, const std::vector<std::string>& addresses, time_point now);
  /// Somebody is there: at the address that we dialled, or, without one, at the other end of a call to us.
  membership_effects offered(link_id link, const std::string& address, const node_card& who, time_point now);
  /// `who` is there, if that is known, but there will be no link.
  membership_effects dial_failed(const std::string& address, const std::string& why,
                                 const std::optional<node_card>& who, time_point now);
  /// What we say comes through the link.
  membership_effects reached(link_id link);
  membership_effects greeted(link_id link, const node_hello& hello, time_point now);
  /// `has_left`: the node at its other end said that it leaves.
  membership_effects link_lost(link_id link, time_point now, bool has_left = false);
  /// What we say through the link may reach this node itself, or a third one: they cannot be told apart.
  membership_effects mistaken(link_id link, time_point now);
  /// We take no new sessions, or take them again.
  membership_effects drain(bool is_so = true);
  /// Whether this node's tenure in the store runs; not to be told where there is no store.
  membership_effects tenure_runs(bool is_so);
  membership_effects tick(time_point now);

  /// When `tick` has something to do. A tick that comes much later tells that the node stood still: the others have
  /// lost it then, and it looks for them anew. After a shorter pause they may have lost it, as a lost link tells.
  time_point deadline() const;
  bool settled() const { return settled_; }
  /// The link to a node; none when it has none.
  std::optional<link_id> link_to(node_life life) const;
  /// The member at the other end of a link; nothing when none is.
  std::optional<node_life> member_at(link_id id) const;
  std::vector<known_node> nodes() const;

private:
  struct lookup {
    time_point next;
    bool done = false;
    bool failing = false;
  };
  struct place {
    enum class state { idle, dialling, linked };
    state is = state::idle;
    bool own = false;
    /// Was tried, with whatever result.
    bool tried = false;
    /// The node that was met there last.
    std::string node;
    std::string why_not;
    std::chrono::milliseconds pause = {};
    time_point next;
    time_point forget_at;
  };
  struct link {
    /// The place that was dialled; empty when the other side did.
    std::string dialled;
    node_card who;
    bool greeted = false;
    /// When its node has to have spoken.
    time_point until = {};
  };
  struct member {
    link_id link = 0;
    std::string address;
    bool draining = false;
    bool has_tenure = false;
  };
  using places = std::map<std::string, place>;

  bool is_news(const std::string& name, const std::string& why);
  static void look_up_name(const std::string& name, lookup& one, membership_effects& out);
  void learn(const std::string& address, time_point forget_at, time_point now);
  void dial_due(time_point now, membership_effects& out);
  bool wants(const place& at) const;
  void leave(const std::string& address, time_point now);
  void retry(place& at, time_point now);
  void put_off(place& at, const std::string& why, time_point now);
  void complain(const std::string& address, const std::string& why, membership_effects& out);
  bool was_silent_for(std::chrono::milliseconds time, time_point now) const;
  /// Others count from what they heard last, which may be the time between two ticks ago when a pause begins.
  std::chrono::milliseconds least_costly_pause() const { return options_.silence - options_.silence / 4; }
  void wake(time_point now, membership_effects& out);
  void give_up_silent(time_point now, membership_effects& out);
  std::chrono::milliseconds varied(std::chrono::milliseconds pause);
  void forget_places(time_point now);

  std::string why_not(const node_card& who, bool we_dialled) const;
  bool gives_way(const link& other, bool we_dialled) const;
  void met(const std::string& address, const node_card& who);
  void unmeet(const std::string& node);
  void take(link_id id, const std::string& address, const node_card& who, time_point now, membership_effects& out);
  void refuse(link_id id, const std::string& address, const node_card& who, std::string why, time_point now,
              membership_effects& out);
  void join(link_id id, const node_hello& hello, time_point now, membership_effects& out);
  void update(link_id id, const node_hello& hello, membership_effects& out);
  bool drop(link_id id, time_point now);
  node_hello hello() const;
  void greet_all(membership_effects& out);
  void watch_store(time_point now, membership_effects& out);
  void settle(time_point now, membership_effects& out);
  void tell(membership_effects& out) const { out.push_back(members_known{nodes(), settled_}); }

  membership_options options_;
  std::mt19937_64 dice_;
  time_point begun_;
  time_point ticked_;
  /// After a pause, until when a link that is lost tells that others lost this node in it.
  time_point doubts_until_ = time_point::min();
  bool settled_ = false;
  bool draining_ = false;
  /// Nothing where there is no store.
  std::optional<bool> has_tenure_;
  store_contact store_;
  std::map<std::string, lookup> lookups_;
  places places_;
  std::map<link_id, link> links_;
  std::map<std::string, member> members_;
  /// Why nodes were refused, by name, as the log knows it.
  std::map<std::string, std::string> refusals_;
};

} // namespace troupe::protocol
