#pragma once

#include "net/io_thread.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

/// Looks up the addresses of a host.
///
/// Never blocks its caller. Destroying it forgets who waits, silently; callable from any thread, and on the io thread
/// nothing is told after that. All else is only for the io thread, which waits before it ends for a name server that
/// has been asked.
class name_lookup {
public:
  /// Numeric, each with the port (`1.2.3.4:80`, `[::1]:80`) and each once; or none, and then why in one line.
  using on_found = std::function<void(std::vector<std::string> addresses, std::string why_not)>;

  explicit name_lookup(io_thread& thread);
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  /// A name, or an address, which needs no looking up. Tells on the io thread, never from inside.
  void find(const std::string& host, std::uint16_t port, on_found then);

private:
  class questions;

  io_thread& thread_;
  std::shared_ptr<questions> questions_;
};

} // namespace troupe::net
