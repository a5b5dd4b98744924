#include "net/redis/redis_client.hpp"

#include "net/byte_stream.hpp"
#include "net/tls.hpp"
#include "protocol/backoff.hpp"
#include "protocol/counted_queue.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

namespace troupe::net {

using clock = io_thread::clock;

namespace {

std::size_t size_of(const redis_command& command) {
  return std::accumulate(command.begin(), command.end(), std::size_t{0},
                         [](auto sum, auto& one) { return sum + one.size(); });
}

redis_reply lost(std::string why) { return {.is = redis_reply::kind::lost, .text = std::move(why)}; }

} // namespace

/// Connection of the client, or the pause before the next.
class redis_client::line : public std::enable_shared_from_this<line> {
  /// Binds a member function, which is called only while the line lives and is not closed.
  template <class... Ts>
  auto guarded(void (line::*member)(Ts...)) {
    return [weak = weak_from_this(), member](auto&&... xs) {
      if (auto self = weak.lock(); self && !self->is_closed_)
        ((*self).*member)(std::forward<decltype(xs)>(xs)...);
    };
  }

public:
  line(io_thread& thread, protocol::redis_address to, const redis_options& options, on_change told)
      : thread_{thread}, to_{std::move(to)}, options_{options}, told_{std::move(told)}, pause_{options.first_pause,
                                                                                               options.longest_pause} {
    if (to_.is_secure && !options_.trust)
      options_.trust = std::make_shared<client_trust>();
  }

  void connect() {
    again_ = {};
    connection_ = std::make_shared<byte_stream>(byte_stream::tcp::socket{thread_.context()});
    reader_ = std::make_unique<redis_reader>(options_.longest_reply);
    connecting_until_ = clock::now() + options_.time_limit;
    watch();
    auto on_end = [go_on = guarded(&line::secure), fail = guarded(&line::lose)](auto error, const auto& why) {
      if (error)
        fail(why);
      else
        go_on();
    };
    connection_->connect({to_.host, to_.port}, options_.time_limit, std::move(on_end));
  }

  void send(const redis_command& command, on_reply then) {
    if (!is_ready_)
      return fail_later(std::move(then), "Redis is not connected: " + why_lost_);
    if (waiting_.size() >= options_.most_commands || !waiting_.fits(size_of(command), options_.most_bytes))
      return fail_later(std::move(then), "too much waits for Redis to answer");
    ask(command, std::move(then));
  }

  void send_last(const redis_command& command, std::chrono::milliseconds limit) {
    for (auto& one : waiting_.items())
      one.then = [](auto&&) {};
    told_ = nullptr;
    if (!is_ready_)
      return end();
    ask(command, [this](auto&&) { end(); });
    farewell_.emplace(thread_.context(), limit);
    farewell_->async_wait([self = shared_from_this()](auto) { self->end(); });
  }

  void close() {
    if (!farewell_)
      end();
  }

private:
  struct unanswered_command {
    on_reply then;
    clock::time_point deadline;
    std::size_t size = 0;
  };

  void secure() {
    if (!to_.is_secure)
      return greet();
    std::string why_not;
    auto tls = options_.trust->read(why_not);
    if (!tls)
      return lose(why_not);
    if (!expect_host(connection_->begin_tls(tls), to_.host))
      return lose("cannot ask " + to_.host + " for its certificate");
    auto on_end = [of = connection_, host = to_.host, go_on = guarded(&line::greet),
                   fail = guarded(&line::lose)](auto error) {
      if (error)
        fail(why_handshake_failed(of->tls(), host, error));
      else
        go_on();
    };
    connection_->handshake(boost::asio::ssl::stream_base::client, std::move(on_end));
  }

  /// Requires a reply before Redis counts as connected: the system of a Redis that hangs still accepts connections.
  void greet() {
    connecting_until_ = clock::time_point::max();
    connection_->keep_alive();
    read();
    if (!to_.user.empty())
      expect_welcome({"AUTH", to_.user, to_.password}, "the user or the password", [] {});
    else if (!to_.password.empty())
      expect_welcome({"AUTH", to_.password}, "the password", [] {});
    expect_welcome({"SELECT", std::to_string(to_.database)}, "the database", [this] { welcome(); });
  }

  void expect_welcome(const redis_command& command, const char* what, std::function<void()> then) {
    ask(command, [this, what, then = std::move(then)](const redis_reply& reply) {
      if (reply.is == redis_reply::kind::error)
        lose("Redis refuses " + std::string{what} + ": " + reply.text);
      else if (reply.is != redis_reply::kind::lost)
        then();
    });
  }

  void welcome() {
    is_ready_ = true;
    pause_.reset();
    was_told_ = true;
    if (told_)
      told_({});
  }

  void ask(const redis_command& command, on_reply then) {
    waiting_.push({std::move(then), clock::now() + options_.time_limit, size_of(command)});
    connection_->send(wire_text(command));
    watch();
  }

  void read() { connection_->read(guarded(&line::on_bytes)); }

  void on_bytes(boost::system::error_code error, std::string_view bytes) {
    if (bytes.empty()) {
      const auto why = why_ended(error);
      return lose("the connection to Redis was lost" + (why.empty() ? "" : ": " + why));
    }
    auto of = connection_;
    reader_->feed(bytes);
    while (auto reply = reader_->next()) {
      answer(std::move(*reply));
      if (is_closed_ || connection_ != of)
        return;
    }
    if (reader_->why_not().empty())
      read();
    else
      lose("Redis said what cannot be understood: " + reader_->why_not());
  }

  void answer(redis_reply reply) {
    if (waiting_.is_empty())
      return lose("Redis answered what it was not asked");
    waiting_.pop().then(std::move(reply));
  }

  /// Ends the connection and fails all waiting commands. Any callback may close the line.
  void lose(const std::string& why) {
    if (farewell_)
      return end();
    std::exchange(connection_, nullptr)->close();
    connecting_until_ = clock::time_point::max();
    auto is_news = std::exchange(is_ready_, false) || !std::exchange(was_told_, true);
    why_lost_ = why;
    connect_later();
    auto asked = waiting_.extract_all();
    if (is_news && told_)
      told_(why);
    for (auto& one : asked)
      if (!is_closed_)
        one.then(lost(why));
  }

  void connect_later() { again_ = thread_.at(clock::now() + pause_.next(), guarded(&line::connect)); }

  void fail_later(on_reply then, std::string why) {
    thread_.post([self = shared_from_this(), then = std::move(then), why = std::move(why)] {
      if (!self->is_closed_)
        then(lost(why));
    });
  }

  /// Sets the timer. Deadlines follow each other, so the first one is never too late for the next.
  void watch() {
    if (check_ != io_thread::timer_id{} || deadline() == clock::time_point::max())
      return;
    check_ = thread_.at(deadline(), guarded(&line::check_time));
  }

  void check_time() {
    check_ = {};
    if (deadline() <= clock::now())
      lose("Redis did not answer within " + protocol::seconds_text(options_.time_limit));
    watch();
  }

  void end() {
    is_closed_ = true;
    if (connection_)
      connection_->close();
    thread_.cancel(check_);
    thread_.cancel(again_);
    waiting_.extract_all();
    if (farewell_)
      farewell_->cancel();
  }

  clock::time_point deadline() const {
    return waiting_.is_empty() ? connecting_until_ : std::min(connecting_until_, waiting_.items().front().deadline);
  }

  io_thread& thread_;
  protocol::redis_address to_;
  redis_options options_;
  on_change told_;
  std::shared_ptr<byte_stream> connection_;
  std::unique_ptr<redis_reader> reader_;
  protocol::counted_queue<std::deque<unanswered_command>, &unanswered_command::size> waiting_;
  bool is_ready_ = false;
  bool is_closed_ = false;
  /// Limit of the last command, set until it is answered or its time is over.
  std::optional<boost::asio::steady_timer> farewell_;
  protocol::backoff pause_;
  /// Deadline of connecting; max() otherwise.
  clock::time_point connecting_until_ = clock::time_point::max();
  io_thread::timer_id check_;
  io_thread::timer_id again_;
  /// Why Redis is not connected. The owner is not notified before the first attempt has ended.
  std::string why_lost_ = "still connecting";
  bool was_told_ = false;
};

// -- the client ----------------------------------------------------------------------------

redis_client::redis_client(io_thread& thread, protocol::redis_address to, const redis_options& options, on_change told)
    : thread_{thread}, line_{std::make_shared<line>(thread, std::move(to), options, std::move(told))} {
  thread_.post([weak = std::weak_ptr{line_}] {
    if (auto alive = weak.lock())
      alive->connect();
  });
}

redis_client::~redis_client() {
  thread_.dispatch([line = line_] { line->close(); });
}

void redis_client::send(const redis_command& command, on_reply then) { line_->send(command, std::move(then)); }

void redis_client::send_last(const redis_command& command, std::chrono::milliseconds limit) {
  thread_.dispatch([line = line_, command, limit] { line->send_last(command, limit); });
}

} // namespace troupe::net
