#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace troupe::protocol {

/// How many sessions the clients at each address hold, and whose has to go so that another may begin. The empty address
/// stands for all clients that are not limited. A process that is being stopped takes the place of a session, too.
class session_places {
public:
  /// A session that was used later than so long ago ends for no other.
  static constexpr std::chrono::seconds least_idle{10};

  /// At most `most` sessions in all, and `most_each` for each address but the empty one; 0 is no such limit.
  session_places(std::size_t most, std::size_t most_each) : most_{most}, most_each_{most_each} {}

  void take(const std::string& address);
  void give_back(const std::string& address);
  /// So many processes are being stopped now.
  void let_stop(std::size_t processes) { stopping_ = processes; }

  std::size_t taken() const { return taken_; }
  bool is_full() const { return taken_ + stopping_ >= most_; }
  /// Whether no session is to end for another before more processes are gone: otherwise clients that come fast enough
  /// would heap up any number of them.
  bool must_wait() const;
  /// Whether the address holds as many as it may.
  bool is_full_for(const std::string& address) const;
  /// The address that has to give up a session before another of `newcomer` begins: its own when that holds as many as
  /// it may; when all places are taken, that which holds most. Nothing when there is room.
  std::optional<std::string> who_makes_room(const std::string& newcomer) const;

private:
  std::size_t most_;
  std::size_t most_each_;
  std::size_t taken_ = 0;
  std::size_t stopping_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

} // namespace troupe::protocol
