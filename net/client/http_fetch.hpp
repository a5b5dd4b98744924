#pragma once

#include "net/client/http_client.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace troupe::net {

/// A whole answer.
struct fetched {
  /// 0 when there is none.
  int status = 0;
  std::string body = {};
  /// Why there is none, in one line.
  std::string why_not = {};
};

/// Sends a call and gathers its answer, of at most `longest` bytes. Tells once, never from inside, on the thread of the
/// client; not after the client's end.
void fetch(http_client& by, http_call what, std::size_t longest, std::function<void(fetched)> then);

} // namespace troupe::net
