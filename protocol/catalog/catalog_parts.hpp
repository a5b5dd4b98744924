#pragma once

#include "protocol/catalog/catalog_greeting.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/catalog_log_level.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/list_announcements.hpp"
#include "protocol/catalog/member_questions.hpp"
#include "protocol/catalog/member_request_table.hpp"
#include "protocol/catalog/member_retries.hpp"
#include "protocol/catalog/merged_lists.hpp"
#include "protocol/catalog/named_calls.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/catalog/resource_calls.hpp"

#include <cstddef>
#include <vector>

namespace troupe::protocol {

/// The parts of a catalog, each with its own state. A part refers to those before it, so they stay where they are.
struct catalog_parts {
  catalog_parts(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal);

  /// Requests of the client that may be under way.
  std::size_t most_calls;
  catalog_members members;
  member_request_table requests;
  member_questions questions;
  member_retries retries;
  request_sender sender;
  catalog_greeting greeting;
  catalog_log_level level;
  list_announcements announcements;
  catalog_names names;
  merged_lists lists;
  named_calls calls_by_name;
  resource_calls calls_by_uri;
};

} // namespace troupe::protocol
