#pragma once

#include "protocol/access/endpoint_guard.hpp"
#include "protocol/access/item_authorizer.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/access/principal.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Reports to the operator on a caller's rights at a gateway. `endpoint_guard` and `permissions` apply the rules
// themselves.

/// Server of the gateway, with the facts that a report needs.
struct reported_server {
  std::string name;
  /// Access rules; never null.
  std::shared_ptr<const permissions> rules = std::make_shared<const permissions>();
  /// True if the server's "tools" setting offers a tool of that name; empty when all tools are offered.
  std::function<bool(std::string_view tool)> offers = {};
  /// Reason why the server takes no request of a caller who may use it; empty when it does.
  std::string fault = {};
};

struct access_report {
  /// True if the gateway accepts the caller, who may use the server or thing of the report.
  bool allowed = false;
  /// Lines of text, each with its line break.
  std::string text;
};

/// Describes a caller: the name, the kind of credentials and all known attributes.
std::string text_of(const principal& who);

/// Reports which endpoints accept a caller, and the caller's rights at each server.
access_report report_of_servers(const endpoint_guard_rules& rules, const principal& who,
                                const std::vector<reported_server>& servers);

/// Reports a caller's rights to one thing, by the server's own name for it, with all matching rules.
access_report report_of_thing(const endpoint_guard_rules& rules, const principal& who, const reported_server& server,
                              const named_item& thing);

} // namespace troupe::protocol
