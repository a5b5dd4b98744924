#pragma once

#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Messages of a server that wait for a stream to their client, up to a number and a size.
///
/// A change (`list_changed`, `resources/updated`) that already waits is not added again. Above the limits log messages
/// are dropped first, then changes, oldest first. A question (a request of the server to the client) is never dropped:
/// it is refused when it does not fit.
class backlog {
public:
  backlog(std::size_t most_messages, std::size_t most_bytes) : most_messages_{most_messages}, most_bytes_{most_bytes} {}

  /// Adds a message. False when it is a question that does not fit.
  bool push(message one);
  /// Removes a question, by its id.
  void withdraw(const std::string& id);
  /// All that waited, in order; nothing waits afterwards.
  std::vector<message> take();

  std::size_t size() const { return waiting_.size(); }
  /// How many messages were dropped.
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
