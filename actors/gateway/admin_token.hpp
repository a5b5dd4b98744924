#pragma once

#include "actors/runtime/event_log.hpp"
#include "actors/troupe/admin_options.hpp"
#include "net/changing_file.hpp"

#include <optional>
#include <string>

namespace troupe::actors {

/// The token that operators show, as the options or their file have it now. Used by one thread at a time.
class admin_token {
public:
  /// Throws `std::runtime_error` with one line when the file cannot be used.
  explicit admin_token(const admin_options& options, event_log log = event_log{});

  /// Looks whether the file has changed; one that cannot be used any more changes nothing, which the log tells. Empty
  /// when no token is asked for. Blocks while the file is read.
  const std::string& now();

private:
  event_log log_;
  std::string token_;
  /// None when there is none, or when it cannot be read again, as a pipe.
  std::optional<net::changing_file> file_;
};

} // namespace troupe::actors
