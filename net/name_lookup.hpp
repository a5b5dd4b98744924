#pragma once

#include "net/io_thread.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// Looks up the addresses of hosts.
///
/// Never blocks its caller. Constructor and destructor are callable from any thread. The destructor drops pending
/// callbacks; if it runs on the io thread, no callback follows it. All else is only for the io thread, which before it
/// ends waits for queried name servers.
class name_lookup {
public:
  /// Receives numeric addresses, each once, with the port (`1.2.3.4:80`, `[::1]:80`); or none, and why in one line.
  using on_found = std::function<void(std::vector<std::string> addresses, std::string why_not)>;

  explicit name_lookup(io_thread& thread);
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  /// Looks up a name; an address needs no lookup. Calls `then` on the io thread, never from inside.
  void find(const std::string& host, std::uint16_t port, on_found then);

private:
  class questions;

  io_thread& thread_;
  std::shared_ptr<questions> questions_;
};

} // namespace troupe::net
