#pragma once

#include "net/server/connection_tls.hpp"
#include "net/server/connections.hpp"
#include "net/server/request_reader.hpp"
#include "net/write_queue.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

/// Decides on which thread a connection is best: on another one, once so many requests in a row were for what lives
/// there. What passes between two threads costs more than a request; a connection with requests for many threads, such
/// as that of a proxy, is as good on any.
class thread_preference {
public:
  static constexpr std::size_t requests = 4;

  /// A request begins; it is for what lives here unless told otherwise.
  void begin() {
    if (!std::exchange(told_, false))
      count_ = 0;
  }
  /// The request is for what lives on another thread.
  void tell(std::size_t thread) {
    count_ = count_ != 0 && thread == thread_ ? count_ + 1 : 1;
    thread_ = thread;
    told_ = true;
  }
  /// The thread that is better; nothing as long as none is.
  std::optional<std::size_t> better() const {
    return told_ && count_ >= requests ? std::optional{thread_} : std::nullopt;
  }

private:
  std::size_t thread_ = 0;
  std::size_t count_ = 0;
  /// Of the request that has begun last.
  bool told_ = false;
};

/// One client's connection, over TCP or a unix socket, plain or in TLS: reads requests, one at a time, and writes their
/// answers in order.
///
/// A read is outstanding while an answer is, so that a client that leaves is noticed; what it sends meanwhile is kept
/// for the next request, up to the header limit. One that has waited for a while, for a request or for events, rests:
/// it holds next to no memory. One that does not rest has a buffer that the kernel reads into, which costs less time.
/// Lives on one thread, and may move to another between two requests; kept alive by its own operations; never blocks.
class connection : public std::enable_shared_from_this<connection> {
public:
  /// One that was accepted, and is in the count of all; `share` is what counts it for its address. Without `tls` it is
  /// plain.
  connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<connections> owner,
             connections_by_address::share share = nullptr, std::unique_ptr<connection_tls> tls = nullptr);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  /// With a place of `surplus_places` it is one too many: one request is read, and refused unless it is always
  /// answered.
  void start(surplus_places::share surplus = nullptr);
  /// Instead of `start`: there are too many. In TLS the client is told nothing, which would take a handshake.
  void turn_away(refusal why);
  void close();
  /// Closes now, or after the answer that is under way.
  void close_when_idle();
  /// Closes when a limit of time is over.
  void check_time(io_thread::clock::time_point now);
  /// When `check_time` may have something to do.
  io_thread::clock::time_point due() const {
    return std::min({deadline_, write_deadline_, rest_at_, certificate_end_});
  }
  /// Closes when the client's certificate is not believed any more.
  void judge_again();

  // -- for its exchange, told by number so that a late caller cannot touch a later exchange
  protocol::http_request& request() { return reader_->request(); }
  std::uint64_t exchange_number() const { return exchange_number_; }
  /// Tells while the exchange holds what it wants to be told.
  void on_exchange_closed(std::uint64_t exchange_number, std::weak_ptr<std::function<void()>> tell);
  void on_exchange_abandoned(protocol::http_response (*make)()) { make_abandoned_ = make; }
  void prefer_thread(std::size_t thread) { preference_.tell(thread); }
  void respond(protocol::http_response answer);
  void begin_events(const protocol::http_response& head);
  void write_events(std::string events);
  void end_events();
  /// The exchange is destroyed: an answer that is incomplete never will be complete.
  void release(std::uint64_t exchange_number);
  io_thread& thread() { return owner_->thread(); }

private:
  /// `finishing` writes the last answer; `lingering` reads what the client still sends and drops it.
  enum class phase { reading, answering, streaming, finishing, lingering, closed };

  void tell_later(std::weak_ptr<std::function<void()>> tell);
  // -- reading
  void do_read();
  bool must_not_read() const;
  bool may_receive() const;
  void await_bytes();
  void receive_bytes();
  void on_readable(boost::system::error_code error);
  void on_received(boost::system::error_code error, std::size_t size);
  std::size_t read_some(std::span<char> to, boost::system::error_code& error);
  void on_read(boost::system::error_code error, std::string_view bytes);
  void go_on(boost::system::error_code error);
  bool may_rest() const { return is_idle() && !queue_.is_writing() && unread() == 0; }
  void rest();

  // -- to another thread
  bool may_move() const;
  void begin_move();
  bool must_move(boost::system::error_code read);
  void move();
  void arrive();

  // -- requests
  void parse();
  void begin_request();
  bool is_believed();
  void await_certificate_end();
  void on_certificate_end();
  void refused_by_tls();
  void refuse(boost::system::error_code error);
  void refuse(int status, std::string text);
  void refuse(const protocol::rejection& why);
  bool is_turned_away();
  void turn_away_politely();
  void await_rest();
  void expect_body();
  void begin_exchange();
  void finish_exchange();
  void next_request();
  void forget_request();
  void read_on();
  void linger();
  std::size_t unread() const { return reader_ ? reader_->unread() : 0; }
  bool has_begun() const { return reader_ && reader_->has_begun(); }
  bool is_idle() const { return phase_ == phase::reading && !has_begun(); }
  bool is_held_back() const { return is_idle() && queue_.held_exceeds(owner_->limits().unread); }
  bool has_exchange() const { return phase_ == phase::answering || phase_ == phase::streaming; }

  // -- writing
  void enqueue(std::string text);
  void write_on();
  void write_all();
  void await_writable();
  void on_writable(boost::system::error_code error);
  void on_write(boost::system::error_code error);
  void hold_unsent();
  void expect_within(std::chrono::milliseconds time);

  boost::asio::ip::tcp::socket socket_;
  std::shared_ptr<connections> owner_;
  connection_order::place place_{this};
  connections_by_address::share share_;
  /// Null unless it is one too many.
  surplus_places::share surplus_;
  /// Null when it is plain.
  std::unique_ptr<connection_tls> tls_;
  phase phase_ = phase::reading;
  io_thread::clock::time_point deadline_ = io_thread::clock::time_point::max();
  io_thread::clock::time_point write_deadline_ = io_thread::clock::time_point::max();

  /// When the client's certificate ends to be good.
  io_thread::clock::time_point certificate_end_ = io_thread::clock::time_point::max();
  /// That was it.
  bool has_expired_ = false;

  /// When a connection that waits for a request is to rest.
  io_thread::clock::time_point rest_at_ = io_thread::clock::time_point::max();

  /// Null while it rests.
  std::unique_ptr<request_reader> reader_;
  bool reading_ = false;
  /// The read that is outstanding has a buffer.
  bool receiving_ = false;
  bool body_begun_ = false;

  thread_preference preference_;
  /// The read that is outstanding was ended so that it can move.
  bool is_moving_ = false;
  /// What has arrived behind a request is looked at in this turn.
  bool will_parse_ = false;
  /// A client was once slow to read what was written.
  bool was_held_ = false;

  std::uint64_t exchange_number_ = 0;
  std::weak_ptr<std::function<void()>> tell_closed_;
  protocol::http_response (*make_abandoned_)() = nullptr;
  std::string peer_;
  bool is_local_ = false;
  bool keep_alive_ = true;
  bool chunked_ = true;

  write_queue queue_;
  /// Of the budget of all connections, while a write is under way.
  std::unique_ptr<unsent_bytes::share> unsent_;
};

} // namespace troupe::net
