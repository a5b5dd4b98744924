#pragma once

#include "net/byte_stream.hpp"
#include "net/client/http_call.hpp"
#include "net/client/http_client_answer.hpp"
#include "net/client/http_client_pool.hpp"
#include "net/client_trust.hpp"
#include "net/spare_connections.hpp"
#include "protocol/text/url.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

class http_client_call;

/// State shared by all calls of the clients of one server on one thread. Used and destroyed only on that thread.
struct http_client_shared {
  http_client_shared(io_thread& on, const http_client_options& given)
      : thread{on}, options{given}, pool{std::make_shared<http_client_pool>(on, given.idle_connections, given.idle)},
        requests{{.running = given.connections}}, messages{{.running = most_messages}} {
    if (!options.trust)
      options.trust = std::make_shared<client_trust>();
  }
  ~http_client_shared() { pool->close(); }
  http_client_shared(const http_client_shared&) = delete;
  http_client_shared& operator=(const http_client_shared&) = delete;

  /// Most entries of `resting`; the oldest is closed for a further one.
  static constexpr std::size_t most_resting = 32;

  /// Begins calls that have waited, now that it is their turn.
  void begin(const std::vector<call_turns::number>& whose_turn);

  io_thread& thread;
  http_client_options options;
  std::shared_ptr<http_client_pool> pool;
  call_turns requests;
  call_turns messages;
  std::map<call_turns::number, std::weak_ptr<http_client_call>> waiting;
  /// Complete answers whose streams stay open, the oldest first: the server has a limit of open files, too.
  std::set<spare_connections::number> resting;
  call_turns::number last = 0;

private:
  /// Most messages that run at a time; they are answered at once.
  static constexpr std::size_t most_messages = 16;
};

/// Client as a user of both sets of turns: those of requests, and those of messages.
struct http_client_user {
  call_turns::user requests;
  call_turns::user messages;
};

/// HTTP call: from a connection, kept or new, to the end of the answer.
///
/// Lives on the client's thread, kept alive by its own operations until it is over; never blocks.
class http_client_call : public std::enable_shared_from_this<http_client_call> {
public:
  /// `over` is called once, before the last event.
  http_client_call(std::shared_ptr<http_client_shared> shared, http_call what, http_call_events events,
                   std::function<void()> over);
  http_client_call(const http_client_call&) = delete;
  http_client_call& operator=(const http_client_call&) = delete;

  /// Begins as soon as it is its turn, as a call of `of`, which outlives it. No callback runs from inside.
  void start(http_client_user& of);
  bool waits() const { return waits_; }
  void on_turn();
  /// Begins without a turn of its own. May call back from inside when it ends.
  void begin();
  /// Lets another call have its turn.
  void leave_turn();
  /// Lets another call have its turn; this call fails when its connection is needed.
  void rest();
  /// Ends the call without any callback.
  void abort();

private:
  using clock = std::chrono::steady_clock;

  void ask_turn(call_turns& turns, call_turns::user& of);
  void wait();
  std::string prepare();
  void connect();
  void on_connected(const byte_stream::tls_context& tls);
  void secure(const byte_stream::tls_context& tls);
  void converse();
  void read();
  void on_read(boost::system::error_code error, std::string_view bytes);
  void on_lost(const std::string& why);
  void tell_news();
  bool follows(const http_answer_head& head);
  void begin_again();
  /// Whether the call may be repeated. A POST may have been carried out although no answer came (RFC 9110, 9.2.2).
  bool may_be_repeated() const { return what_.method == "GET" || what_.method == "DELETE"; }

  void await_head();
  void expect_within(std::chrono::milliseconds time, const char* what);
  void arm();
  void on_time();

  void give_connection();
  void leave_connection();
  void finish();
  void fail(std::string why, bool is_shortage = false);
  std::shared_ptr<http_call_events> end();

  std::shared_ptr<http_client_shared> shared_;
  http_call what_;
  /// Shared, so that an event may abort its own call.
  std::shared_ptr<http_call_events> events_;
  std::function<void()> over_;
  bool is_over_ = false;

  call_turns* turns_ = nullptr;
  call_turns::user* user_ = nullptr;
  call_turns::number number_ = 0;
  bool waits_ = false;

  protocol::http_url to_;
  std::string head_text_;
  std::shared_ptr<byte_stream> connection_;
  /// Number among the spare connections; 0 as long as the connection is needed.
  spare_connections::number spare_ = 0;
  bool is_reused_ = false;
  std::optional<http_client_answer> answer_;

  boost::asio::steady_timer timer_;
  const char* awaited_ = "";
  std::chrono::milliseconds patience_{0};
  clock::time_point deadline_ = clock::time_point::max();
  clock::time_point armed_ = clock::time_point::max();
  clock::time_point last_ = clock::time_point::max();
};

} // namespace troupe::net
