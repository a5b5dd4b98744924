#pragma once

#include "net/client/http_client.hpp"
#include "tests/support/http_server.hpp"

#include <algorithm>

namespace troupe::tests {

/// An HTTP client with a thread of its own.
///
/// The journal has for call N `N head 200`, then `N end body` with the whole body, or `N failed: why`. With pieces
/// enabled it also has `N > piece` for each.
class http_caller {
public:
  explicit http_caller(const net::http_client_options& options = {}) {
    client_ = std::make_unique<net::http_client>(*thread_, options);
  }
  ~http_caller() { stop(); }
  http_caller(const http_caller&) = delete;
  http_caller& operator=(const http_caller&) = delete;

  /// Starts a call, and returns its number from 1.
  std::uint64_t start(net::http_call what) {
    std::uint64_t result = 0;
    run_on(*thread_, [&] { result = start_here(std::move(what)); });
    return result;
  }
  std::uint64_t get(const std::string& url) { return start({"GET", url}); }
  std::uint64_t post(const std::string& url, std::string body) { return start({"POST", url, {}, std::move(body)}); }
  /// Starts a call on the client's thread itself.
  std::uint64_t start_here(net::http_call what) {
    auto next = last_ + 1;
    last_ = client_->start(std::move(what), events(next));
    EXPECT_EQ(last_, next);
    return last_;
  }

  void abort(std::uint64_t which) {
    run_on(*thread_, [&] { client_->abort(which); });
  }
  /// Destroys the client from the test's thread, without waiting.
  void let_go() { client_.reset(); }
  /// Destroys the client, and waits for its pending work.
  void stop() {
    let_go();
    thread_.reset();
  }
  /// Waits until the thread has finished its pending work.
  void settle() {
    run_on(*thread_, [] {});
  }

  /// The journal once this call has ended, or after the time limit.
  lines wait_for_end(std::uint64_t which) const {
    auto name = std::to_string(which);
    auto is_last = [&](auto& one) { return one.starts_with(name + " end") || one.starts_with(name + " failed"); };
    lines lines_seen = seen.all();
    while (std::none_of(lines_seen.begin(), lines_seen.end(), is_last)) {
      auto before = lines_seen.size();
      lines_seen = seen.wait_for(before + 1);
      if (lines_seen.size() == before)
        break;
    }
    return lines_seen;
  }

  net::http_client& client() { return *client_; }
  net::io_thread& thread() { return *thread_; }
  journal seen;
  bool wants_pieces = false;
  /// Called on the thread, with a line of the journal.
  std::function<void(const std::string& line)> on_line;
  net::http_answer_head last_head;

private:
  void tell(const std::string& line) {
    seen.note(line);
    if (on_line)
      on_line(line);
  }

  net::http_call_events events(std::uint64_t number) {
    auto name = std::to_string(number) + " ";
    auto body = std::make_shared<std::string>();
    return {[this, name](net::http_answer_head head) {
              last_head = head;
              tell(name + "head " + std::to_string(head.status));
            },
            [this, name, body](const std::string& bytes) {
              *body += bytes;
              if (wants_pieces)
                tell(name + "> " + bytes);
            },
            [this, name, body] { tell(name + "end " + *body); },
            [this, name](const std::string& why, bool) { tell(name + "failed: " + why); }};
  }

  std::optional<net::io_thread> thread_{std::in_place};
  std::unique_ptr<net::http_client> client_;
  std::uint64_t last_ = 0;
};

} // namespace troupe::tests
