#pragma once

#include "net/node/node_link.hpp"
#include "tests/support/test_listener.hpp"

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>

namespace troupe::tests {

inline const std::string cluster_key = "sixteen bytes or more";

/// An end of a link. Operations wait for the link's bytes, until its end. Thread-safe.
class link_end {
public:
  using stream = std::shared_ptr<net::node_link_stream>;

  /// A callback that takes the bytes of the first link.
  std::function<void(stream)> taker() {
    return [coming = std::exchange(coming_, std::make_shared<std::promise<stream>>())](stream bytes) {
      coming->set_value(std::move(bytes));
    };
  }
  /// Ends the link.
  void leave() {
    std::lock_guard lock{mutex_};
    bytes_ = {};
  }
  /// Writes the text; a part of it at the end of the link or after the time limit.
  void say(std::string_view text) { write(text, patience); }
  /// Writes until the link accepts no more for a while, and returns the number of accepted bytes.
  std::size_t say_what_is_taken(std::string_view text) { return write(text, std::chrono::milliseconds{300}); }
  /// Reads so many bytes; fewer at the end of the link or after the time limit.
  std::string hear(std::size_t size) {
    auto bytes = given();
    std::string result(size, '\0');
    std::size_t have = 0;
    while (bytes && have < size) {
      auto more = one_at_a_time([&] { return bytes->read(result.data() + have, size - have); });
      if (!more)
        leave();
      if (!more || (*more == 0 && !wait_for(*bytes, POLLIN, patience)))
        break;
      have += *more;
    }
    result.resize(have);
    return result;
  }

private:
  template <class Use>
  std::optional<std::size_t> one_at_a_time(Use use) {
    std::lock_guard lock{mutex_};
    return use();
  }
  /// Null when the link never has bytes.
  stream given() {
    auto bytes = [this] {
      std::lock_guard lock{mutex_};
      return bytes_;
    }();
    try {
      return bytes.valid() && bytes.wait_for(patience) == std::future_status::ready ? bytes.get() : nullptr;
    } catch (const std::future_error&) {
      return nullptr;
    }
  }
  static bool wait_for(const net::node_link_stream& bytes, short what, std::chrono::milliseconds longest) {
    pollfd one{bytes.descriptor(), what, 0};
    return ::poll(&one, 1, static_cast<int>(longest.count())) == 1;
  }
  std::size_t write(std::string_view text, std::chrono::milliseconds longest_wait) {
    auto bytes = given();
    auto left = text;
    while (bytes && !left.empty()) {
      auto taken = one_at_a_time([&] { return bytes->write(left.data(), left.size()); });
      if (!taken)
        break;
      left.remove_prefix(*taken);
      if (!left.empty() && !wait_for(*bytes, POLLOUT, longest_wait))
        break;
    }
    return text.size() - left.size();
  }

  std::shared_ptr<std::promise<stream>> coming_ = std::make_shared<std::promise<stream>>();
  std::mutex mutex_;
  std::shared_future<stream> bytes_ = coming_->get_future().share();
};

/// A node with a thread of its own.
///
/// The journal has `called by HELLO` for each offered link, `reached HELLO` or `failed: why` for each dialed one (and
/// `, says HELLO` for a node), and `closed` for each accepted one. `refused_peer_log` has refused callers, with
/// `stranger: ` before the reason for those that are no nodes.
class link_node {
public:
  using decision = std::function<void(net::pending_link)>;

  explicit link_node(std::string hello, net::node_link_options options = {}) : hello_{std::move(hello)} {
    if (options.keys.empty())
      options.keys = {cluster_key};
    links_ = std::make_unique<net::node_links>(
        *thread_, options, hello_,
        [this](net::pending_link one) {
          seen.note((one.dialled ? "dialled by " : "called by ") + one.hello());
          decide(std::move(one));
        },
        [this](const std::string& address, const net::node_links::failure& why) {
          refused_peer_log.note(address + ' ' + (why.is_stranger ? "stranger: " : "") + why.why);
        });
  }
  ~link_node() { stop(); }
  link_node(const link_node&) = delete;
  link_node& operator=(const link_node&) = delete;

  std::uint16_t port() const { return links_->port(); }
  std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  net::io_thread& thread() { return *thread_; }
  void let_go() { links_.reset(); }
  void stop() {
    links_.reset();
    thread_.reset();
  }

  void dial(const std::string& to) {
    links_->dial(to, [this](net::node_links::outcome said) {
      if (auto failure = std::get_if<net::node_links::failure>(&said))
        return seen.note("failed: " + failure->why + (failure->hello.empty() ? "" : ", says " + failure->hello));
      auto& one = std::get<net::pending_link>(said);
      seen.note((one.dialled ? "reached " : "was reached by ") + one.hello());
      decide(std::move(one));
    });
  }

  /// The decision on each offered link. The default accepts it.
  decision decide = [this](net::pending_link one) { accept(std::move(one)); };
  void accept(net::pending_link one) {
    one.accept(local.taker(), [this] { seen.note("closed"); });
  }

  link_end local;
  journal seen;
  journal refused_peer_log;

private:
  std::string hello_;
  std::optional<net::io_thread> thread_{std::in_place};
  std::unique_ptr<net::node_links> links_;
};

/// Sends a text in both directions at once, and expects it to arrive complete.
inline void expect_carried_both_ways(link_node& a, link_node& b, const std::string& text) {
  std::thread from_a{[&] { a.local.say(text); }}, from_b{[&] { b.local.say(text); }};
  std::string at_a;
  std::thread to_a{[&] { at_a = a.local.hear(text.size()); }};
  EXPECT_TRUE(b.local.hear(text.size()) == text);
  for (auto one : {&from_a, &from_b, &to_a})
    one->join();
  EXPECT_TRUE(at_a == text);
}

} // namespace troupe::tests
