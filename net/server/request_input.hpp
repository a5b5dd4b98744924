#pragma once

#include "net/io_thread.hpp"
#include "net/server/connection_socket.hpp"
#include "net/server/limits.hpp"
#include "net/server/request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace troupe::net {

/// Input of a connection: its pending read, the request that arrives, and the bytes behind it. Rests between requests:
/// then it has no memory, and waits without a buffer.
///
/// Has a reader from the first bytes of a request until the request is forgotten and the input rests. At most one read
/// is pending. Lives on the thread of its connection, which keeps it alive during a read.
class request_input {
public:
  using time_point = io_thread::clock::time_point;

  // -- the pending read
  bool is_pending() const { return reading_; }
  /// Waits without a buffer: costs a system call, but no memory. Bytes held by TLS wait for other work of this turn,
  /// unless they are not `wanted`.
  template <class Done>
  void await(connection_socket& from, io_thread& thread, bool wanted, Done done) {
    reading_ = true;
    if (wanted && from.has_decrypted())
      return thread.post([done = std::move(done)] { done(boost::system::error_code{}); });
    from.await_readable([&thread, done = std::move(done)](auto error) {
      const io_thread::turn event{thread};
      done(error);
    });
  }
  /// Reads into the reader. Only for a plain connection, and if it `may_receive`.
  template <class Done>
  void receive(connection_socket& from, io_thread& thread, Done done) {
    reading_ = receiving_ = true;
    from.receive(reader_->room(receive_size), [&thread, done = std::move(done)](auto error, auto size) {
      const io_thread::turn event{thread};
      done(error, size);
    });
  }
  void end_read() { reading_ = receiving_ = false; }
  /// Whether to read with a buffer. Unread input would have to stay in place meanwhile, so there must be none. The body
  /// of a request is read in larger pieces.
  bool may_receive(bool is_answering) const;

  // -- bytes
  /// Adds bytes that have arrived elsewhere.
  void append(std::string_view bytes, const connection_limits& limits) { reader(limits).append(bytes); }
  /// Adds the bytes that the pending read has put into the reader.
  void arrived(std::size_t size) { reader_->arrived(size); }
  std::size_t unread() const { return reader_ ? reader_->unread() : 0; }

  // -- the request
  /// Returns the reader. Only while the input does not rest.
  request_reader& reader() { return *reader_; }
  /// Returns the reader; a new one if the input rests. `limits` outlive it.
  request_reader& reader(const connection_limits& limits);
  bool has_begun() const { return reader_ && reader_->has_begun(); }
  /// Whether the body is to arrive from now on; true once for a request.
  bool begins_body() { return reader_->is_header_done() && !std::exchange(body_begun_, true); }
  bool is_in_body() const { return body_begun_; }
  /// Forgets the request, and is ready for the next.
  void forget();
  /// Forgets the request while the next one may be long in coming: gives back the memory, too, if it is free.
  void forget_for_long();

  // -- rest
  /// Time to rest; max() for none.
  time_point rests_at() const { return rest_at_; }
  void rest_at(time_point when) { rest_at_ = when; }
  void never_rest() { rest_at_ = time_point::max(); }
  /// Rests at once, if that is allowed. True if the pending read, which has a buffer, is to be ended for that.
  bool rest(bool is_allowed);
  /// Gives back the memory, with all unread bytes. Never while a read has a buffer.
  void drop() { reader_.reset(); }

private:
  /// Size of a read with a buffer: more than most requests have.
  static constexpr std::size_t receive_size = 2048;

  /// Null while the connection rests.
  std::unique_ptr<request_reader> reader_;
  bool reading_ = false;
  /// Whether the pending read has a buffer.
  bool receiving_ = false;
  bool body_begun_ = false;
  /// Time when a connection that waits for a request is to rest.
  time_point rest_at_ = time_point::max();
};

} // namespace troupe::net
