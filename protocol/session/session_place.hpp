#pragma once

#include "protocol/delivery/delivery.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Where a session stands in its gateway: between the clients of one path and the servers that this leads to.
struct session_place {
  transport via = transport::streamable_http;
  std::string path = {};
  /// The number of the one server that it speaks to; 0 when it is for those that are merged.
  std::uint64_t server = 0;
  /// Whom it belongs to, see `identity_of`; empty for nobody in particular.
  std::string owner = {};

  /// Whether a request for the session is for it indeed: to one of the other transport, of another path or of somebody
  /// else it is not known.
  bool takes(transport from, std::string_view at, std::string_view whose) const {
    return via == from && path == at && owner == whose;
  }
  /// Whether those who listen can go on at another node. A session of HTTP+SSE has but the one stream, and lives with
  /// it.
  bool can_move_listeners() const { return via == transport::streamable_http; }
  bool is_merged() const { return server == 0; }
};

} // namespace troupe::protocol
