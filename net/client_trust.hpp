#pragma once

#include "net/guarded.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace troupe::net {

/// Certificates that our clients trust, over TLS 1.2 and later: those of the system, and those of a PEM file.
///
/// Reads them, which blocks, on first use and again when the file has changed. Reading them for each connection would
/// hold up a thread. Callable from any thread; holders of a context keep it.
class client_trust {
public:
  using context = std::shared_ptr<boost::asio::ssl::context>;

  explicit client_trust(std::string ca_file = {}) : ca_file_{std::move(ca_file)} {}

  /// Returns the context; null when the file cannot be used, and then `why_not` says why.
  context read(std::string& why_not);

private:
  struct what_was_read {
    context kept;
    std::filesystem::file_time_type changed;
  };

  context read_anew(std::string& why_not) const;

  std::string ca_file_;
  guarded<what_was_read> last_;
};

} // namespace troupe::net
