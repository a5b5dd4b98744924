#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"

#include <optional>

namespace troupe::protocol {

/// The client's log level, which every server that logs is told (2025-11-25, logging, "Setting Log Level").
class catalog_log_level {
public:
  explicit catalog_log_level(request_sender& sender) : sender_{sender} {}

  /// The client's `logging/setLevel`, which is answered here.
  void set(const message& from, catalog_effects& out);
  /// Tells a server that is ready.
  void tell(catalog_member& one, catalog_effects& out);

private:
  request_sender& sender_;
  /// What the client set last; nothing before.
  std::optional<severity> level_;
};

} // namespace troupe::protocol
