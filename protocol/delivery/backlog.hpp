#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Messages of a server that wait for a stream, up to a number and a size.
///
/// A change that already waits is not told twice. Above the limits logs go first, then changes, oldest first; a
/// question never goes: it is refused instead.
class backlog {
public:
  backlog(std::size_t most_messages, std::size_t most_bytes) : most_messages_{most_messages}, most_bytes_{most_bytes} {}

  /// Takes a message. False when it is a question and there is no room.
  bool push(message one);
  /// Takes a question back, by its id.
  void withdraw(const std::string& id);
  /// What waited, in order; nothing waits afterwards.
  std::vector<message> take();

  std::size_t size() const { return waiting_.size(); }
  /// Messages that were lost here.
  std::uint64_t dropped() const { return dropped_; }

private:
  bool make_room(const message& one);
  bool drop_first(bool (*matches)(const message&));
  bool fits(std::size_t bytes) const;

  std::size_t most_messages_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
  std::vector<message> waiting_;
};

} // namespace troupe::protocol
