#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Messages of a server that wait for a stream to their client, up to a number and a size.
///
/// A change (`list_changed`, `resources/updated`) that already waits is not added again. Above the limits log messages
/// are dropped first, then changes, oldest first. A question (a request of the server to the client) is never dropped:
/// it is refused when it does not fit. While all backlogs together have too many bytes, this one takes no more than
/// `least_bytes`.
class backlog {
public:
  static constexpr std::size_t least_bytes = 16 * 1024;

  /// `total` counts the bytes of all backlogs; none when it is null.
  backlog(std::size_t most_messages, std::size_t most_bytes, std::shared_ptr<byte_total> total = nullptr)
      : most_messages_{most_messages}, most_bytes_{most_bytes}, bytes_{std::move(total)} {}

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
  std::size_t room() const { return bytes_.allowed(most_bytes_, least_bytes); }

  std::size_t most_messages_;
  std::size_t most_bytes_;
  counted_bytes bytes_;
  std::uint64_t dropped_ = 0;
  std::vector<message> waiting_;
};

} // namespace troupe::protocol
