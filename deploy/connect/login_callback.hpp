#pragma once

#include "net/io_thread.hpp"
#include "net/server/exchange.hpp"
#include "net/server/listener.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Where the user's browser comes back to after a login: a page on a port of this machine, as long as this lives.
class login_callback {
public:
  /// A browser that waits for its page, by number: nothing that belongs to the thread of this gets out of it.
  using visit = std::uint64_t;
  /// Told the query that a browser brings, on the thread of this; the page is chosen with `answer`.
  using on_return = std::function<void(std::string query, visit from)>;

  /// Port 0 picks a free one. Throws `std::runtime_error` with one line when the port is taken.
  login_callback(std::uint16_t port, on_return tell);
  /// Browsers that still wait get the page of those that bring nothing. Not on the thread of this.
  ~login_callback();
  login_callback(const login_callback&) = delete;
  login_callback& operator=(const login_callback&) = delete;

  /// Where browsers are sent (RFC 8252, 7.3).
  std::string url() const;
  /// `was_ours` when the browser brought what was waited for. Callable from any thread.
  void answer(visit from, bool was_ours);

private:
  void take(std::unique_ptr<net::exchange> one);

  on_return tell_;
  // Used on the thread alone.
  std::map<visit, std::unique_ptr<net::exchange>> waiting_;
  visit last_ = 0;
  bool is_closing_ = false;
  std::vector<std::unique_ptr<net::io_thread>> threads_;
  net::listener listener_;
};

/// Opens the user's browser: what `BROWSER` names, or `xdg-open`. Gives whether one was started.
bool open_browser(const std::string& url);

} // namespace troupe::deploy
