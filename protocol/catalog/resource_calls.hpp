#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace troupe::protocol {

/// Sends requests that name a resource to the server whose it is. A read of a URI that does not say whose it is goes to
/// all servers that may have resources: hosts read `ui://` URIs that they find in `_meta`, which is not mapped. The
/// first that has it answers.
class resource_calls {
public:
  resource_calls(catalog_members& members, request_sender& sender) : members_{members}, sender_{sender} {}

  /// `resources/read`, `resources/subscribe`, `resources/unsubscribe`, or `completion/complete` of a template.
  void call(message from, catalog_effects& out);
  /// The client does not wait for it any more.
  void forget(const std::string& client_id) { reads_.erase(client_id); }
  /// The answer of one of several servers.
  void take_read(const member_request& asked, message from, catalog_effects& out);

private:
  /// A read that several servers were sent.
  struct read {
    std::string uri;
    std::size_t unanswered = 0;
  };

  void read_everywhere(const message& from, std::string uri, catalog_effects& out);

  catalog_members& members_;
  request_sender& sender_;
  /// By the client's id of the request.
  std::map<std::string, read> reads_;
};

} // namespace troupe::protocol
