#pragma once

#include "tests/simulation/scheduler.hpp"

#include "protocol/cluster/membership.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace troupe::tests::simulation {

/// Bytes on the wire and times of processing, as measured with real nodes. Bytes include the headers
/// of IP and of TCP, and for a link its acknowledgements, but no Ethernet frames.
struct link_costs {
  /// Headers of IP and TCP, a TLS record, and a BASP header: what each message costs besides its content.
  std::size_t message = 52 + 22 + 32;
  /// A `peer_hello` without addresses: its type, life, flags, and the handles of two actors.
  std::size_t hello = 110;
  /// Bytes that each side sends for a new link: TCP, TLS with the proof of the key, cards, and the handshake of BASP.
  std::size_t link = 2300;
  /// Time of a message through the network.
  span_of_time latency = 250us;
  /// Time of a processor for each message, and for each KiB of it, at either side.
  span_of_time time_of_message = 60us;
  span_of_time time_of_kib = 15us;
  /// Time of a processor for a heartbeat, which CAF handles.
  span_of_time time_of_heartbeat = 45us;
  /// Time of a processor for a link, at either side: most is TLS.
  span_of_time time_of_link = 2ms;
};

/// Messages and bytes of a node since the last reset.
struct link_traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t links = 0;
  /// Time of a processor, calculated from `link_costs`.
  span_of_time busy = {};
};

/// The nodes of a large cluster, as far as membership goes: real `membership` machines on links. Heartbeats are
/// calculated, not sent: an idle link takes no step of the simulation.
class scale_links {
public:
  enum class end_of { leaves, killed, power_lost };

  scale_links(scheduler& time, std::size_t nodes, std::chrono::milliseconds heartbeat, std::size_t seeds,
              link_costs costs = {});

  void start(std::size_t node);
  void stop(std::size_t node, end_of how);

  /// True while each node that runs knows all others that run, and no node that does not.
  bool is_complete() const { return complete_ == running_; }
  /// When that became true last.
  time_point completed_at() const { return completed_at_; }
  bool is_up(std::size_t node) const { return nodes_[node].machine != nullptr; }
  bool has_settled(std::size_t node) const { return nodes_[node].is_settled; }
  /// Number of other nodes that a node knows.
  std::size_t known_to(std::size_t node) const { return nodes_[node].known; }
  /// Whether a node has that run of another as a member.
  bool knows(std::size_t node, node_life other) const;
  node_life life(std::size_t node) const { return nodes_[node].card.life; }
  std::size_t size() const { return nodes_.size(); }
  std::size_t running() const { return running_; }

  void announce_tenure(std::size_t node, bool runs);
  link_traffic traffic(std::size_t node) const { return nodes_[node].traffic; }
  /// Sum for all nodes.
  link_traffic traffic() const;
  void reset_traffic();
  /// Bytes of the heartbeats that a node sends to all others in a second.
  double heartbeat_bytes(std::size_t node) const;
  /// Processor time that a second of heartbeats takes at a node.
  span_of_time heartbeat_time(std::size_t node) const;

private:
  struct end {
    std::size_t node = 0;
    std::uint64_t run = 0;
    link_id id = 0;
    bool is_open = true;
    std::string dialled = {};
    std::weak_ptr<end> other = {};
  };
  using end_ptr = std::shared_ptr<end>;
  struct host {
    node_card card;
    std::string address;
    std::uint64_t run = 0;
    std::unique_ptr<membership> machine;
    std::unordered_map<link_id, end_ptr> links;
    link_id last_link = 0;
    bool has_no_power = false;
    bool is_settled = false;
    std::size_t known = 0;
    /// When the node sent its last heartbeats before it lost power.
    time_point last_beat = {};
    time_point busy_until = {};
    time_point reminded = time_point::max();
    link_traffic traffic;
  };
  using fact = std::function<void(host&)>;

  membership_options options_for(std::size_t node) const;
  void carry_out(host& at, membership_effects effects);
  void perform(host& at, const look_up& effect);
  void perform(host& at, const dial& effect);
  void perform(host& at, const accept_link& effect);
  void perform(host& at, const refuse_link& effect);
  void perform(host& at, const cut_link& effect);
  void perform(host& at, const greet& effect);
  void perform(host& at, const members_known& effect);
  void perform(host&, const store_cut_off&) {}
  void perform(host&, const log_note&) {}

  void remind(host& at);
  void later(const host& at, time_point when, fact what);
  /// The node works on it for `cost`, after all that came before.
  void work(host& at, span_of_time cost, fact what);
  void send(host& from, const end_ptr& by, std::size_t bytes, fact at_other);
  void call(host& from, const std::string& address);
  void fail(const host& from, const std::string& address, const char* why, span_of_time after);
  void close(host& at, const end_ptr& one);
  void lose(host& at, link_id id, bool has_left);
  void note_known(host& at, std::size_t known, bool is_settled);
  void recount();
  bool knows_all(const host& one) const { return one.machine && one.is_settled && one.known + 1 == running_; }
  std::size_t index_of(const host& one) const { return static_cast<std::size_t>(&one - nodes_.data()); }
  span_of_time cost_of(std::size_t bytes) const {
    return costs_.time_of_message + costs_.time_of_kib * static_cast<int>(bytes) / 1024;
  }

  scheduler& time_;
  std::chrono::milliseconds heartbeat_;
  std::size_t seeds_;
  link_costs costs_;
  std::vector<host> nodes_;
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t running_ = 0;
  std::size_t complete_ = 0;
  time_point completed_at_ = {};
};

} // namespace troupe::tests::simulation
