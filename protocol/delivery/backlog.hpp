#pragma once

#include "protocol/counted_queue.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Queue of a server's messages that wait for a stream to their client, limited in number and bytes.
///
/// A change (`list_changed`, `resources/updated`) that already waits is not added again. Above the limits log messages
/// are dropped first, then changes, the oldest first. A question (a request of the server to the client) is never
/// dropped: it is refused if it does not fit. While all backlogs together hold too many bytes, each is limited to
/// `least_bytes`.
class backlog {
public:
  static constexpr std::size_t least_bytes = 16 * 1024;

  /// `total` counts the bytes of all backlogs; may be null.
  backlog(std::size_t most_messages, std::size_t most_bytes, std::shared_ptr<byte_total> total = nullptr)
      : most_messages_{most_messages}, most_bytes_{most_bytes}, waiting_{std::move(total)} {}

  /// Adds a message. False for a question that does not fit.
  bool push(message one);
  /// Removes a question by its id.
  void withdraw(const std::string& id);
  /// Takes all messages out, in order.
  std::vector<message> extract_all() { return waiting_.extract_all(); }

  std::size_t size() const { return waiting_.size(); }
  /// Number of messages dropped so far.
  std::uint64_t dropped() const { return dropped_; }

private:
  bool make_room(const message& one);
  bool drop_first(bool (*matches)(const message&));

  std::size_t most_messages_;
  std::size_t most_bytes_;
  counted_queue<std::vector<message>, text_size> waiting_;
  std::uint64_t dropped_ = 0;
};

} // namespace troupe::protocol
