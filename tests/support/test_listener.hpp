#pragma once

#include "net/server/listener.hpp"
#include "tests/support/tcp_client.hpp"

#include <future>
#include <limits>
#include <memory>

namespace troupe::tests {

/// Runs `work` on a thread and waits for it.
inline void run_on(net::io_thread& thread, const std::function<void()>& work) {
  std::promise<void> done;
  thread.post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

inline protocol::http_response text_answer(std::string text) { return {200, {}, std::move(text)}; }
inline protocol::http_response events_head() { return {200, {{"Content-Type", "text/event-stream"}}, {}}; }

/// A listener that keeps its exchanges by number, until the test acts on them.
///
/// The journal has `METHOD target body` for each request, and `closed N` when exchange N learns that its client left.
class test_listener {
public:
  using script = std::function<void(net::exchange&)>;

  explicit test_listener(const net::connection_limits& limits = {}, script play = {}, std::size_t threads = 1,
                         std::size_t unsent_limit = std::numeric_limits<std::size_t>::max(),
                         std::shared_ptr<net::connections_by_address> by_address = nullptr,
                         const net::listening_place& place = {"127.0.0.1"},
                         std::shared_ptr<net::server_tls> tls = nullptr)
      : totals{unsent_limit}, play_{std::move(play)} {
    totals.by_address = std::move(by_address);
    for (std::size_t i = 0; i < threads; ++i)
      threads_.push_back(std::make_unique<net::io_thread>());
    listener_ = std::make_unique<net::listener>(threads_, place, totals, std::move(tls));
    listener_->accept(limits, [this](std::size_t thread) {
      return [this, thread](std::unique_ptr<net::exchange> one) { handle(std::move(one), thread); };
    });
  }
  ~test_listener() {
    listener_.reset();
    settle(); // exchanges may arrive until here
    for (auto& one : exchanges_)
      one.reset();
    threads_.clear();
  }
  test_listener(const test_listener&) = delete;
  test_listener& operator=(const test_listener&) = delete;

  std::uint16_t port() const { return listener_->port(); }
  net::listener& listener() { return *listener_; }
  void close_listener() { listener_.reset(); }
  journal seen;
  net::connection_totals totals;

  /// Runs `act` with an exchange on its thread.
  void let(std::size_t number, const script& act) {
    run_on(*threads_.front(), [&] { act(*exchanges_.at(number)); });
  }
  void respond(std::size_t number, const std::string& text) {
    let(number, [&](auto& one) { one.respond(text_answer(text)); });
  }
  /// Destroys an exchange, from the test's thread.
  void drop(std::size_t number) { exchanges_.at(number).reset(); }
  /// Moves the exchange out.
  std::unique_ptr<net::exchange> take_away(std::size_t number) { return std::move(exchanges_.at(number)); }
  /// Waits until the threads have finished their pending work.
  void settle() {
    for (auto& one : threads_)
      run_on(*one, [] {});
  }
  net::io_thread& thread() { return *threads_.front(); }
  /// The threads on which the exchanges arrived.
  std::vector<std::size_t> taken_by() const { return taken_by_; }
  /// Whether exchanges report that their client left. Set it before the first request.
  bool listens_for_closed = true;

private:
  void handle(std::unique_ptr<net::exchange> one, std::size_t thread) {
    std::unique_lock lock{mutex_};
    auto number = exchanges_.size();
    auto& kept = *exchanges_.emplace_back(std::move(one));
    taken_by_.push_back(thread);
    lock.unlock();
    if (listens_for_closed)
      kept.on_closed([this, number] { seen.note("closed " + std::to_string(number)); });
    auto& request = kept.request();
    auto line = std::string{request.method} + " " + std::string{request.target};
    seen.note(request.body.empty() ? line : line + " " + request.body);
    if (play_)
      play_(kept);
  }

  script play_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<net::exchange>> exchanges_;
  std::vector<std::size_t> taken_by_;
  net::listener::thread_list threads_;
  std::unique_ptr<net::listener> listener_;
};

} // namespace troupe::tests
