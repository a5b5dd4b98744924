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

/// HTTP server for the redirect URI of a login: a page on a loopback port, for as long as this object lives.
class login_callback {
public:
  /// Number of a browser that waits for its page. The exchange itself stays on the thread of this object.
  using visit = std::uint64_t;
  /// Called with the query of the redirect, on the thread of this object; `answer` then chooses the page.
  using on_return = std::function<void(std::string query, visit from)>;

  /// Port 0 picks a free one. Throws `std::runtime_error` with one line when the port is taken.
  login_callback(std::uint16_t port, on_return tell);
  /// Answers browsers that still wait with the page for unknown requests. Must not run on the thread of this object.
  ~login_callback();
  login_callback(const login_callback&) = delete;
  login_callback& operator=(const login_callback&) = delete;

  /// Returns the redirect URI, with a loopback address (RFC 8252, 7.3).
  std::string url() const;
  /// Answers a browser; `was_ours` if its query belongs to the login. Callable from any thread.
  void answer(visit from, bool was_ours);

private:
  void handle(std::unique_ptr<net::exchange> one);

  on_return tell_;
  // Used on the thread only.
  std::map<visit, std::unique_ptr<net::exchange>> waiting_;
  visit last_ = 0;
  bool is_closing_ = false;
  std::vector<std::unique_ptr<net::io_thread>> threads_;
  net::listener listener_;
};

/// Opens the user's browser: the program in `BROWSER`, or `xdg-open`. Returns whether it could be started.
bool open_browser(const std::string& url);

} // namespace troupe::deploy
