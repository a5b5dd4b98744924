#pragma once

#include "protocol/catalog/catalog_initialization.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/list_announcements.hpp"
#include "protocol/catalog/member_requests.hpp"
#include "protocol/catalog/member_retries.hpp"
#include "protocol/catalog/merged_lists.hpp"
#include "protocol/catalog/named_calls.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::protocol {

/// Parts of a catalog, each with its own state. Not movable: a part refers to those before it.
struct catalog_parts {
  catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal);

  /// Most requests of the client in flight.
  std::size_t most_calls;
  catalog_members members;
  member_request_table requests;
  member_questions questions;
  member_retries retries;
  request_sender sender;
  catalog_initialization greeting;
  catalog_log_level level;
  list_announcements announcements;
  catalog_names names;
  merged_lists lists;
  named_calls calls_by_name;
  resource_calls calls_by_uri;
};

// Requests of the client: refuses them, or routes each to its part of the catalog.

/// Refuses a request of the client, or begins it.
void take_client_request(catalog_parts& parts, message from, time_point now, catalog_effects& out);
/// Handles a cancellation of the client.
void cancel_client_request(catalog_parts& parts, const message& from, catalog_effects& out);
/// Takes a server's answer to a request of ours that served one of the client.
void take_member_answer(catalog_parts& parts, const member_request& asked, std::uint64_t own, message from,
                        time_point now, catalog_effects& out);

} // namespace troupe::protocol
