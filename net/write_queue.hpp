#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::net {

/// Queue of texts to write to a socket or a pipe, in order: those that wait, and those of the one write under way.
///
/// The texts of a write stay in place until its `end`; until then the writer keeps the queue alive. Lives on the thread
/// of its owner; never blocks. The queue has no limit: its owner checks the size before it adds.
class write_queue {
public:
  /// Longest text, in bytes, that is joined to the text before it, which must be within this size, too: copying so much
  /// costs less than writing two texts.
  static constexpr std::size_t longest_joined = 4096;
  using buffers = std::vector<boost::asio::const_buffer>;
  /// Remainder of a write.
  using rest = boost::beast::buffers_suffix<buffers>;

  write_queue() = default;
  write_queue(const write_queue&) = delete;
  write_queue& operator=(const write_queue&) = delete;

  /// Adds a text; ignores an empty one.
  void add(std::string text);
  /// Drops the texts that wait.
  void drop_waiting();

  bool is_empty() const { return waiting_.empty() && writing_.empty(); }
  bool is_writing() const { return !writing_.empty(); }

  // -- whether there are more bytes than a limit
  /// Counts the texts that wait.
  bool waiting_exceeds(std::size_t limit) const { return waiting_bytes_ > limit; }
  /// Counts these and the write under way, without the bytes taken at once when it began.
  bool untaken_exceeds(std::size_t limit) const { return waiting_bytes_ + rest_bytes_ > limit; }
  /// Counts the texts that wait and the whole write under way.
  bool held_exceeds(std::size_t limit) const { return held() > limit; }
  std::size_t held() const { return waiting_bytes_ + writing_bytes_; }
  /// Returns the bytes of the write under way, without those taken at once when it began.
  std::size_t untaken() const { return rest_bytes_; }

  // -- one write for all that is added in one turn of the thread
  /// Whether the owner is to post a write: true once, until `posted_write_begins`.
  bool is_post_due() { return !std::exchange(is_posted_, true); }
  void posted_write_begins() { is_posted_ = false; }

  // -- writing
  /// Writes as much of the waiting texts as a non-blocking socket or pipe takes at once. Returns the remainder for an
  /// operation, to be followed by `end`; nullopt if none is left or another write is under way. An error shows again in
  /// the operation.
  template <class Stream>
  std::optional<rest> begin_at_once(Stream& to) {
    if (!begin())
      return std::nullopt;
    boost::system::error_code ignored;
    const auto taken = writing_.size() == 1 ? to.write_some(boost::asio::buffer(writing_.front()), ignored)
                                            : to.write_some(texts(), ignored);
    rest_bytes_ -= taken;
    if (rest_bytes_ == 0) {
      end();
      return std::nullopt;
    }
    std::optional<rest> left{std::in_place, boost::in_place_init, texts()};
    left->consume(taken);
    return left;
  }
  /// Begins a write of all waiting texts, joined to one, for an operation, to be followed by `end`. Returns nullopt if
  /// nothing waits, or if another write is under way.
  std::optional<boost::asio::const_buffer> begin_joined();
  /// Ends the write, whether all is written or not.
  void end();

private:
  bool begin();
  buffers texts() const;

  std::vector<std::string> waiting_;
  std::vector<std::string> writing_;
  std::size_t waiting_bytes_ = 0;
  std::size_t writing_bytes_ = 0;
  std::size_t rest_bytes_ = 0;
  bool is_posted_ = false;
};

} // namespace troupe::net
