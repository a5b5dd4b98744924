#pragma once

#include "tests/simulation/actor.hpp"
#include "tests/simulation/redis.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace troupe::tests::simulation {

/// Connection of a node to the store. Stands for `net/redis`: commands are pipelined, a late reply ends the
/// connection, and it is made again after a pause.
class redis_line : public std::enable_shared_from_this<redis_line> {
public:
  /// Carries out a command, and returns what the node does with the reply.
  using command = std::function<std::function<void()>(redis_data&, time_point now)>;
  /// Called with an empty text when the store is reached, else with why it is lost.
  using on_change = std::function<void(std::string why_lost)>;

  redis_line(std::shared_ptr<process> at, redis_server& to, span_of_time limit, on_change told)
      : at_{std::move(at)}, to_{to}, limit_{limit}, told_{std::move(told)} {}

  void connect();
  void send(command what, std::function<void()> lost);
  void lose(const std::string& why);

private:
  struct sent {
    std::function<void()> lost;
    time_point since;
  };

  void try_to_connect();
  void connect_later();
  void arrive(const std::shared_ptr<command>& what);
  void carry_out();
  void reply(std::uint64_t connection, std::function<void()> then);
  void watch();
  span_of_time delay() { return time().luck().between(100us, 2ms); }
  scheduler& time() { return at_->time; }

  std::shared_ptr<process> at_;
  redis_server& to_;
  span_of_time limit_;
  on_change told_;
  bool is_up_ = false;
  bool is_watching_ = false;
  /// Number of the connection: replies of earlier ones are void.
  std::uint64_t connection_ = 0;
  span_of_time pause_ = 100ms;
  time_point last_arrival_ = {};
  time_point last_reply_ = {};
  std::deque<sent> waiting_;
  /// Commands that the store has received and not carried out.
  std::deque<std::pair<std::uint64_t, std::shared_ptr<command>>> inbox_;
};

} // namespace troupe::tests::simulation
