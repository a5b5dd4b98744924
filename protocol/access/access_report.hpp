#pragma once

#include "protocol/access/door.hpp"
#include "protocol/access/permissions.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/access/thing_judge.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// What callers may do at a gateway, told to its operator. What holds is for `door` and `permissions` to say.

/// A server of the gateway.
struct reported_server {
  std::string name;
  /// Never null.
  std::shared_ptr<const permissions> rules = std::make_shared<const permissions>();
  /// Whether anybody sees a tool of that name; empty when all tools are seen.
  std::function<bool(std::string_view tool)> offers = {};
  /// Why the server takes no request of this caller, although he may use it; empty when it does.
  std::string fault = {};
};

struct access_report {
  /// Whether the caller comes in, and may use what the report is about.
  bool allowed = false;
  /// Lines, each with its end.
  std::string text;
};

/// Who it is, and what is known of him.
std::string text_of(const principal& who);

/// Where the caller comes in, and what of each server he may use.
access_report report_of_servers(const door_rules& rules, const principal& who,
                                const std::vector<reported_server>& servers);

/// The same about one thing, by the server's own name of it, with all the rules that fit it.
access_report report_of_thing(const door_rules& rules, const principal& who, const reported_server& server,
                              const named_thing& thing);

} // namespace troupe::protocol
