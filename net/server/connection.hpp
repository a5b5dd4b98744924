#pragma once

#include "net/server/answer_writer.hpp"
#include "net/server/connection_socket.hpp"
#include "net/server/connection_tls.hpp"
#include "net/server/connections.hpp"
#include "net/server/current_exchange.hpp"
#include "net/server/request_input.hpp"
#include "net/server/thread_preference.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::net {

/// Client connection, over TCP or a unix socket, plain or TLS: reads requests, one at a time, and answers in order.
///
/// A read is pending during an answer, so that a client that disconnects is noticed. Its input meanwhile is kept for
/// the next request, up to the header limit. After a while without a request or events a connection rests: it holds
/// next to no memory. Otherwise it has a buffer that the kernel reads into, which costs less time. Lives on one thread,
/// and may move to another between two requests; kept alive by its own operations; never blocks.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// Takes an accepted socket, which is in the count of all; `share` counts it for its address. Without `tls` it is
  /// plain.
  connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
             connections_by_address::share share = nullptr, std::unique_ptr<connection_tls> tls = nullptr);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// Starts to read. With an `overflow` slot the connection is one too many: one request is read, and refused
  /// unless it is always answered.
  void start(slots::share overflow = nullptr);
  /// Refuses the connection instead of `start`. In TLS it is closed without an answer, which would take a handshake.
  void reject(refusal why);
  void close();
  /// Closes now, or after the answer that is under way.
  void close_when_idle();
  /// Closes when a time limit is over.
  void check_time(io_thread::clock::time_point now);
  /// Returns when `check_time` may have something to do.
  io_thread::clock::time_point due() const;
  /// Closes when the client's certificate is not trusted any more.
  void recheck_certificate();

  // -- for its exchange, told by number so that a late caller cannot touch a later exchange
  protocol::http_request& request() { return input_.reader().request(); }
  current_exchange& current() { return current_; }
  void prefer_thread(std::size_t thread) { preference_.tell(thread); }
  void respond(protocol::http_response answer);
  void begin_events(const protocol::http_response& head);
  void write_events(std::string events);
  void end_events();
  /// Ends an exchange that is destroyed: an answer that is incomplete never will be complete.
  void release(std::uint64_t exchange_number);
  io_thread& thread() { return owner_->thread(); }

private:
  /// `finishing` writes the last answer; `lingering` reads and drops further input of the client.
  enum class phase { reading, answering, streaming, finishing, lingering, closed };

  bool is_idle() const { return phase_ == phase::reading && !input_.has_begun(); }
  void expect_within(std::chrono::milliseconds time);

  // -- reading
  void do_read();
  bool must_not_read() const;
  bool is_held_back() const { return is_idle() && answer_.held_exceeds(owner_->limits().unread); }
  bool may_rest() const { return is_idle() && !answer_.is_writing() && input_.unread() == 0; }
  void on_readable(boost::system::error_code error);
  void on_read(boost::system::error_code error, std::string_view bytes);
  void on_received(boost::system::error_code error, std::size_t size);

  // -- requests
  void parse();
  void on_parsed(boost::system::error_code error);
  void refuse(refusal kind, const protocol::rejection& why);
  void begin_exchange();
  void finish_exchange();
  void next_request();
  void read_on();
  void linger();

  // -- writing
  void write_soon();
  void write_all();
  void write_on();

  // -- to another thread
  bool may_move() const;
  void move();
  void arrive();

  connection_socket socket_;
  std::shared_ptr<connections> owner_;
  connection_order::place place_{this};
  connections_by_address::share share_;
  /// Null unless the connection is one too many.
  slots::share overflow_;
  phase phase_ = phase::reading;
  io_thread::clock::time_point deadline_ = io_thread::clock::time_point::max();
  /// Whether input behind a request will be parsed in this turn.
  bool will_parse_ = false;

  request_input input_;
  current_exchange current_;
  answer_writer answer_;
  thread_preference preference_;
};

} // namespace troupe::net
