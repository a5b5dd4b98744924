#pragma once

#include "protocol/remote/remote_effects.hpp"

#include <string>
#include <variant>

namespace troupe::protocol {

// What becomes of an HTTP request to a remote server.

/// It has waited for a connection, and goes out now.
struct call_begun {};
struct call_head {
  int status = 0;
  http_fields fields = {};
};
struct call_body {
  std::string bytes;
};
/// Its answer is complete.
struct call_ended {};
/// `is_shortage` when we had no descriptor or memory left to connect.
struct call_failed {
  std::string why;
  bool is_shortage = false;
};
/// It was never sent, for want of a token.
struct call_withheld {
  std::string why;
};

struct call_news {
  http_call_id call = 0;
  std::variant<call_begun, call_head, call_body, call_ended, call_failed, call_withheld> what;
};

} // namespace troupe::protocol
