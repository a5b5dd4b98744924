#pragma once

#include "net/node/node_link.hpp"
#include "tests/support/site.hpp"

#include <fcntl.h>
#include <map>
#include <optional>
#include <poll.h>
#include <string>
#include <thread>

namespace troupe::tests {

inline const std::string cluster_key = "sixteen bytes or more";

/// Two stream sockets that are connected with each other; closes those that it still has.
class socket_pair {
public:
  socket_pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_), 0); }
  ~socket_pair() {
    leave();
    if (ends_[1] >= 0)
      ::close(ends_[1]);
  }
  socket_pair(const socket_pair&) = delete;
  socket_pair& operator=(const socket_pair&) = delete;

  int give() { return std::exchange(ends_[1], -1); }
  void leave() {
    if (ends_[0] >= 0)
      ::close(std::exchange(ends_[0], -1));
  }
  /// Says all of it; less at the end, or when patience is over.
  void say(std::string_view text) { send(text, patience); }
  /// How much of it is taken before nothing is any more for a while.
  std::size_t say_what_is_taken(std::string_view text) { return send(text, std::chrono::milliseconds{300}); }
  /// As much as is asked for; less at the end, or when patience is over.
  std::string hear(std::size_t size) {
    std::string result(size, '\0');
    std::size_t have = 0;
    for (pollfd wait{ends_[0], POLLIN, 0}; have < size && ::poll(&wait, 1, 20'000) == 1;) {
      auto more = ::recv(ends_[0], result.data() + have, size - have, MSG_DONTWAIT);
      if (more <= 0)
        break;
      have += static_cast<std::size_t>(more);
    }
    result.resize(have);
    return result;
  }

private:
  /// How much of it is taken before nothing is any more for so long.
  std::size_t send(std::string_view text, std::chrono::milliseconds longest_wait) {
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    auto left = text;
    auto wait_ms = static_cast<int>(longest_wait.count());
    for (pollfd wait{ends_[0], POLLOUT, 0}; !left.empty() && ::poll(&wait, 1, wait_ms) == 1;)
      if (auto size = ::send(ends_[0], left.data(), left.size(), MSG_NOSIGNAL); size > 0)
        left.remove_prefix(static_cast<std::size_t>(size));
      else if (errno != EAGAIN)
        break;
    return text.size() - left.size();
  }

  int ends_[2] = {-1, -1};
};

/// A node with a thread of its own.
///
/// Its journal has `called by HELLO` for each link that it is offered, `reached HELLO` or `failed: why` for each that
/// it dials (and `, says HELLO` when that is a node), and `closed` for each that it took. Another has those whom it
/// turned away, with `stranger: ` before the reason when it takes them for that.
class link_node {
public:
  using decision = std::function<void(net::node_offer)>;

  explicit link_node(std::string hello, net::node_link_options options = {}) : hello_{std::move(hello)} {
    if (options.key.empty())
      options.key = cluster_key;
    links_ = std::make_unique<net::node_links>(
        *thread_, options, hello_,
        [this](net::node_offer one) {
          seen.note((one.dialled ? "dialled by " : "called by ") + one.hello());
          decide(std::move(one));
        },
        [this](const std::string& address, const net::node_links::failure& why) {
          turned_away.note(address + ' ' + (why.is_stranger ? "stranger: " : "") + why.why);
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
      auto& one = std::get<net::node_offer>(said);
      seen.note((one.dialled ? "reached " : "was reached by ") + one.hello());
      decide(std::move(one));
    });
  }

  /// What becomes of each link; it is taken unless the test says otherwise.
  decision decide = [this](net::node_offer one) { take(std::move(one)); };
  void take(net::node_offer one) {
    one.take(net::owned_descriptor{local.give()}, [this] { seen.note("closed"); });
  }

  socket_pair local;
  journal seen;
  journal turned_away;

private:
  std::string hello_;
  std::optional<net::io_thread> thread_{std::in_place};
  std::unique_ptr<net::node_links> links_;
};

/// Two nodes with a link say a text to each other at once, and each hears it whole.
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
