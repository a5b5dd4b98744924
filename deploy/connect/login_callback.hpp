#pragma once

#include "net/io_thread.hpp"
#include "net/server/exchange.hpp"
#include "net/server/listener.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::deploy {

/// Where the user's browser comes back to after a login: a page on a port of this machine, as long as this lives.
class login_callback {
public:
  /// Told the query that a browser brings, on a thread of this; answers whether that is what was waited for.
  using on_return = std::function<void(std::string query, std::function<void(bool was_ours)> answer)>;

  /// Port 0 picks a free one. Throws `std::runtime_error` with one line when the port is taken.
  login_callback(std::uint16_t port, on_return tell);

  /// Where browsers are sent (RFC 8252, 7.3).
  std::string url() const;

private:
  void take(std::unique_ptr<net::exchange> one) const;

  on_return tell_;
  std::vector<std::unique_ptr<net::io_thread>> threads_;
  net::listener listener_;
};

/// Opens the user's browser: what `BROWSER` names, or `xdg-open`. Gives whether one was started.
bool open_browser(const std::string& url);

} // namespace troupe::deploy
