#pragma once

#include "net/io_thread.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_suffix.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::net {

/// What is to be written to a socket or a pipe: the texts that wait, and those that are being written, which stay where
/// they are until that is over.
///
/// Belongs to whoever writes, lives on its thread and never blocks. It has no limit of its own: its owner asks how many
/// bytes there are.
class write_queue {
public:
  /// Of the texts that are being written, what is not yet taken.
  using rest = boost::beast::buffers_suffix<std::vector<boost::asio::const_buffer>>;

  void add(std::string text) {
    unsent_bytes_ += text.size();
    unsent_.push_back(std::move(text));
  }
  /// Joins it to the text before it, if that waits as well: for texts that are short and many.
  void append(std::string text) {
    if (unsent_.empty())
      return add(std::move(text));
    unsent_bytes_ += text.size();
    unsent_.back() += text;
  }
  void drop_unsent() {
    unsent_.clear();
    unsent_bytes_ = 0;
  }

  bool is_empty() const { return unsent_.empty() && writing_.empty(); }
  bool is_writing() const { return !writing_.empty(); }
  /// Bytes of the texts that wait, and of those that are being written.
  std::size_t unsent() const { return unsent_bytes_; }
  std::size_t writing() const { return writing_bytes_; }
  /// Bytes of both, but for those that were taken at once.
  std::size_t untaken() const { return unsent_bytes_ + rest_bytes_; }

  /// Has `write` called soon, once for all that is said in one turn of the thread. It keeps the queue alive.
  template <class Write>
  void write_soon(io_thread& thread, Write write) {
    if (std::exchange(writes_soon_, true))
      return;
    thread.post([this, write = std::move(write)] {
      writes_soon_ = false;
      write();
    });
  }

  /// Writes what a non-blocking stream takes at once of the texts that wait, which needs no operation; nothing when
  /// others are being written, or when all is taken. Otherwise the rest is to be written before `end_write`. An error
  /// shows itself again in the operation that does.
  template <class Stream>
  std::optional<rest> begin_write(Stream& to) {
    if (unsent_.empty() || is_writing())
      return std::nullopt;
    writing_.swap(unsent_);
    writing_bytes_ = std::exchange(unsent_bytes_, 0);
    const auto all = buffers();
    boost::system::error_code ignored;
    const auto taken = to.write_some(all, ignored);
    rest_bytes_ = writing_bytes_ - taken;
    if (rest_bytes_ == 0) {
      end_write();
      return std::nullopt;
    }
    std::optional<rest> left{all};
    left->consume(taken);
    return left;
  }
  /// What was being written is out, or never will be.
  void end_write() {
    writing_.clear();
    writing_bytes_ = rest_bytes_ = 0;
  }

private:
  std::vector<boost::asio::const_buffer> buffers() const {
    std::vector<boost::asio::const_buffer> result;
    result.reserve(writing_.size());
    for (auto& text : writing_)
      result.emplace_back(boost::asio::buffer(text));
    return result;
  }

  std::vector<std::string> unsent_;
  std::vector<std::string> writing_;
  std::size_t unsent_bytes_ = 0;
  std::size_t writing_bytes_ = 0;
  std::size_t rest_bytes_ = 0;
  bool writes_soon_ = false;
};

} // namespace troupe::net
