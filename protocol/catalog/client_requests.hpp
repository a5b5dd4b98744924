#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_greeting.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/catalog_log_level.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/list_announcements.hpp"
#include "protocol/catalog/member_request_table.hpp"
#include "protocol/catalog/merged_lists.hpp"
#include "protocol/catalog/named_calls.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/catalog/resource_calls.hpp"
#include "protocol/message/message.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>

namespace troupe::protocol {

/// The client's requests: which are refused, and which part of the catalog carries out each of the others.
class client_requests {
public:
  client_requests(const catalog_limits& limits, catalog_members& members, member_request_table& requests,
                  request_sender& sender, catalog_greeting& greeting, catalog_log_level& level, catalog_names& names,
                  list_announcements& announcements);

  void take(message from, time_point now, catalog_effects& out);
  /// `notifications/cancelled`.
  void cancel(const message& from, catalog_effects& out);
  /// A server's answer to `asked`, which was under an id of ours.
  void take_answer(const member_request& asked, std::uint64_t own, message from, catalog_effects& out);
  void tick(time_point now, catalog_effects& out) { lists_.tick(now, out); }

  time_point deadline() const { return lists_.deadline(); }

private:
  void route(message from, time_point now, catalog_effects& out);
  void pass_on(message from, catalog_effects& out);
  void answer(const member_request& asked, message from, catalog_effects& out) const;

  /// Limits: requests under way, and bytes that wait for servers.
  std::size_t most_calls_;
  std::size_t most_waiting_bytes_;
  catalog_members& members_;
  const member_request_table& requests_;
  request_sender& sender_;
  catalog_greeting& greeting_;
  catalog_log_level& level_;
  merged_lists lists_;
  named_calls named_calls_;
  resource_calls resource_calls_;
};

} // namespace troupe::protocol
