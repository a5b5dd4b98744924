#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <list>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Sends requests that name a resource to the server that has it. A read of a URI that names no server goes to all
/// servers that may have resources: hosts read `ui://` URIs that they find in `_meta`, which are not mapped. The first
/// that has it answers.
class resource_calls {
public:
  explicit resource_calls(request_sender& sender) : sender_{sender} {}

  /// `resources/read`, `resources/subscribe`, `resources/unsubscribe`, or `completion/complete` of a template.
  void call(message from, catalog_effects& out);
  /// The client does not wait for it any more.
  void forget(std::string_view client_id);
  /// The answer of one of several servers.
  void take_read(const member_request& asked, message from, catalog_effects& out);

private:
  /// A read that several servers were sent.
  struct read {
    std::string client_id;
    std::string uri;
    std::size_t unanswered = 0;
  };

  void read_everywhere(const message& from, std::string uri, catalog_effects& out);

  request_sender& sender_;
  /// Few sessions have any, and the others pay little for them.
  std::list<read> reads_;
};

} // namespace troupe::protocol
