#pragma once

#include "tests/simulation/scheduler.hpp"

#include "protocol/cluster/membership_effects.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::simulation {

class node;

/// End of a link between two nodes. Messages of one direction stay in order; those of different links do not.
struct link_end {
  std::weak_ptr<node> home;
  std::size_t host = 0;
  link_id id = 0;
  std::weak_ptr<link_end> other;
  /// Address that this side dialled; empty at the called side.
  std::string dialled = {};
  bool is_open = true;
  /// When the last message of this end arrives at the other.
  time_point last_arrival = {};
  /// When this end last received a sign of life.
  time_point heard = {};
  /// Messages that wait for the end of a partition.
  std::deque<std::function<void(node&)>> held = {};
};

/// The network between the nodes of a simulation: links as TCP would carry them, partitions, and addresses. Stands for
/// `net/node`: the called side decides first whether it takes a link, and a silent link is cut.
class network {
public:
  using message = std::function<void(node&)>;

  network(scheduler& time, std::chrono::milliseconds silence) : time_{time}, silence_{silence} {}

  // -- nodes
  void enter(const std::string& address, std::size_t host, std::weak_ptr<node> who);
  /// The process is gone. If it is `silent`, as after a loss of power, nobody closes its connections.
  void leave(const node& who, bool silent);

  // -- faults
  /// Whether messages from one host reach another.
  void cut(std::size_t from, std::size_t to, bool is_cut);
  void heal_all();
  void set_delay(span_of_time most) { most_delay_ = most; }
  /// Breaks a random link, if there is one.
  void break_one();

  // -- links
  void dial(const std::shared_ptr<node>& from, std::size_t host, const std::string& address);
  /// The end takes the link. When both have, the dialling side learns that it is open.
  void accept(const std::shared_ptr<link_end>& end);
  void refuse(const std::shared_ptr<link_end>& end, const std::string& why);
  void close(const std::shared_ptr<link_end>& end);
  /// A pair of connected sockets of two processes on one host, as `socketpair(2)`.
  std::pair<std::shared_ptr<link_end>, std::shared_ptr<link_end>> join(const std::shared_ptr<node>& one,
                                                                       const std::shared_ptr<node>& other);
  void send(const std::shared_ptr<link_end>& from, message what);

  std::uint64_t messages() const { return messages_; }

private:
  struct place {
    std::size_t host = 0;
    std::weak_ptr<node> who;
    /// The host has no power: it does not even refuse.
    bool is_dark = false;
  };

  bool is_cut(std::size_t from, std::size_t to) const { return cut_.contains({from, to}); }
  span_of_time delay() { return time_.luck().between(100us, most_delay_); }
  void call(const std::shared_ptr<node>& from, std::size_t host, const std::string& address);
  void fail(const std::weak_ptr<node>& from, const std::string& address, const char* why, span_of_time after);
  void transmit(const std::shared_ptr<link_end>& from, message what);
  void deliver(const std::shared_ptr<link_end>& from, message& what);
  void look(const std::weak_ptr<link_end>& end);
  void notice_end(const std::shared_ptr<link_end>& end);

  scheduler& time_;
  span_of_time silence_;
  span_of_time most_delay_ = 2ms;
  std::map<std::string, place> places_;
  std::set<std::pair<std::size_t, std::size_t>> cut_;
  std::vector<std::weak_ptr<link_end>> ends_;
  std::uint64_t messages_ = 0;
};

} // namespace troupe::tests::simulation
