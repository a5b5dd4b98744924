#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

namespace troupe::protocol {

/// Sends requests that name a resource to the server that has it, and to no other: one server must not supply what
/// another's URI stands for.
class resource_calls {
public:
  explicit resource_calls(request_sender& sender) : sender_{sender} {}

  /// `resources/read`, `resources/subscribe`, `resources/unsubscribe`, or `completion/complete` of a template.
  void call(message from, catalog_effects& out);

private:
  request_sender& sender_;
};

} // namespace troupe::protocol
