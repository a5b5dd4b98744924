#pragma once

#include "protocol/cluster/membership_effects.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Configuration of `node_addresses`: where to look for other nodes, and how often.
struct address_options {
  /// `HOST:PORT` at which other nodes reach this one.
  std::string address;
  /// `HOST:PORT` of other nodes; a name stands for all its addresses.
  std::vector<std::string> seeds;
  /// How often names are looked up again.
  std::chrono::milliseconds look_up = std::chrono::seconds{5};
  /// Pauses between attempts to reach an address, in milliseconds: the first, doubled up to the longest.
  std::chrono::milliseconds first_pause = std::chrono::milliseconds{250};
  std::chrono::milliseconds longest_pause = std::chrono::seconds{1};
  /// Delay before the node with the smaller address dials the other. The node with the greater address dials at once:
  /// one of two simultaneous calls would be in vain.
  std::chrono::milliseconds dial_delay = std::chrono::seconds{1};
  /// Time after which an address is forgotten that no name and no member refers to any more.
  std::chrono::milliseconds memory = std::chrono::minutes{1};
  /// Limit of known addresses.
  std::size_t most = 2048;
};

/// Known addresses of other nodes, from look-ups of the seeds and from the nodes themselves: decides when to look up a
/// name and when to dial an address. A name has one look-up at a time, and an address has one call or one link. The
/// caller knows the nodes: it passes tests that tell by a node's name whether the node is linked, or is a member.
class node_addresses {
public:
  using node_test = std::function<bool(const std::string& name)>;
  /// Why no link comes of a call: by a fault, because the node there is not a member yet, or because it is this node.
  enum class failure { fault, not_yet, own_node };

  node_addresses(const address_options& options, std::uint64_t seed, time_point now);

  // -- names
  void resolve_due(time_point now, membership_effects& out);
  /// Takes the result of a look-up; no addresses if there are none or the look-up failed.
  void looked_up(const std::string& name, const std::vector<std::string>& addresses, time_point now,
                 membership_effects& out);

  // -- addresses
  /// Adds an address unless there are too many. Remembers a known one for longer.
  void learn(const std::string& address, time_point now) { known(address, now); }
  /// Adds an address of a member before the restart of this node: the member may not dial it. Dialled at once.
  void remember(const std::string& address, time_point now);
  /// A member knows of a node at the address.
  void named(const std::string& address, time_point now);
  /// True if a member has named the address since the last node there was lost.
  bool was_named(const std::string& address) const;
  bool knows(const std::string& address) const { return places_.contains(address); }
  void dial_due(time_point now, const node_test& is_linked, membership_effects& out);
  /// All addresses count as not tried, and may be dialled at once.
  void begin_again(time_point now);
  void forget(time_point now, const node_test& is_member);

  // -- results of calls
  /// A node of this name answered at the address.
  void identified(const std::string& address, const std::string& node);
  void linked(const std::string& address, time_point now);
  void postpone(const std::string& address, failure why, time_point now);
  void log_failure(const std::string& address, const std::string& why, membership_effects& out);
  /// The link to the node is gone that was dialled at the address. `was_member`: the node was a member.
  void unlinked(const std::string& node, const std::string& address, bool was_member, time_point now);

  // -- members
  /// A node is a member from now on. It says that it is reached at `address`.
  void joined(const std::string& node, const std::string& address, time_point now);
  /// The member is lost that was reached at `address`.
  void left(const std::string& node, const std::string& address, time_point now);

  /// True if all names are looked up, and each address was tried or leads to a member.
  bool all_tried(const node_test& is_member);
  /// When a look-up or a call may be due.
  time_point deadline() const;

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
    /// True once an attempt has ended, with any result.
    bool tried = false;
    bool was_named = false;
    /// Name of the node last met at this address.
    std::string node;
    std::string why_not;
    std::chrono::milliseconds pause = {};
    time_point next;
    time_point forget_at;
  };

  static void look_up_name(const std::string& name, lookup& one, membership_effects& out);
  static bool wants(const place& at, const node_test& is_linked);
  place* known(const std::string& address, time_point now);
  /// Notes when an address without a call or a link may be dialled, or forgotten.
  void note(const place& at);
  void leave(const std::string& address, std::chrono::milliseconds delay, time_point now);
  void retry(place& at, time_point now);
  std::chrono::milliseconds varied(std::chrono::milliseconds pause);

  address_options options_;
  std::mt19937_64 dice_;
  std::map<std::string, lookup> lookups_;
  std::map<std::string, place> places_;
  /// When an address may have to be dialled, or forgotten: not later than the first one. Only then all addresses are
  /// examined. In a large cluster, doing that after each fact would take most of the time.
  time_point next_call_ = time_point::max();
  time_point next_end_ = time_point::max();
  /// The address that was last found not to be tried.
  std::string untried_;
  /// True if an address was not kept because there are too many.
  bool is_full_ = false;
  bool is_full_logged_ = false;
};

} // namespace troupe::protocol
