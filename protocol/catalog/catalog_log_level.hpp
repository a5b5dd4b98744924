#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

#include <optional>

namespace troupe::protocol {

/// The client's log level, which every server that logs is told (2025-11-25, logging, "Setting Log Level").
class catalog_log_level {
public:
  catalog_log_level(catalog_members& members, member_request_table& requests, request_sender& sender)
      : members_{members}, requests_{requests}, sender_{sender} {}

  /// The client's `logging/setLevel`, which is answered here.
  void set(message from, catalog_effects& out);
  /// Tells a server that is ready.
  void tell(catalog_member& one, catalog_effects& out);

private:
  catalog_members& members_;
  member_request_table& requests_;
  request_sender& sender_;
  /// The client's last `logging/setLevel`.
  std::optional<message> level_;
};

} // namespace troupe::protocol
