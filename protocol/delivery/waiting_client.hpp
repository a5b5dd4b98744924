#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"

#include <string>
#include <variant>

namespace troupe::protocol {

/// A request of a client that its session cannot take yet, or not here.
struct waiting_post {
  post_body body;
  friend bool operator==(const waiting_post&, const waiting_post&) = default;
};
struct waiting_listen {
  /// Its `Last-Event-ID`.
  std::string last;
  friend bool operator==(const waiting_listen&, const waiting_listen&) = default;
};
struct waiting_end {
  friend bool operator==(const waiting_end&, const waiting_end&) = default;
};
using client_wish = std::variant<waiting_post, waiting_listen, waiting_end>;

struct waiting_client {
  exchange_id exchange = 0;
  client_wish wants;
  /// Its connection is gone.
  bool left = false;
};

} // namespace troupe::protocol
