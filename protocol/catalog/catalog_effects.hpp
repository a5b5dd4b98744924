#pragma once

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Effects of a catalog. Its actor carries them out in order.

/// Send a message to a server, starting the server if it does not run.
struct send_to_member {
  std::uint64_t server = 0;
  message what;
  friend bool operator==(const send_to_member&, const send_to_member&) = default;
};

/// Send a message to the session, as its one server would.
struct send_to_client {
  message what;
  friend bool operator==(const send_to_client&, const send_to_client&) = default;
};

/// Returns the error for a client's request that is not carried out.
inline send_to_client refused(const message& request, int code, std::string_view why) {
  return {gateway_message(error_text(request.id, code, why))};
}

/// Remember a server's result of `initialize`, for later sessions.
struct member_known {
  std::uint64_t server = 0;
  std::string result;
  friend bool operator==(const member_known&, const member_known&) = default;
};

/// Release a removed server, which has no requests left.
struct member_left {
  std::uint64_t server = 0;
  friend bool operator==(const member_left&, const member_left&) = default;
};

/// End the session; `why` is for the log. `is_shortage`: a server could not be started for lack of descriptors, memory
/// or processes, and the client has not been notified.
struct end_catalog {
  std::string why;
  bool is_shortage = false;
  friend bool operator==(const end_catalog&, const end_catalog&) = default;
};

/// Remember for later sessions that a server did not answer `initialize` within a session's waiting time.
struct member_slow {
  std::uint64_t server = 0;

  friend bool operator==(const member_slow&, const member_slow&) = default;
};

/// Report a tool or prompt left out of a list because another server has the same name. Once in a session.
struct name_hidden {
  list_kind kind = list_kind::tools;
  /// Name as clients see it.
  std::string name;
  /// Servers whose item is listed, and whose item is left out.
  std::uint64_t shown = 0;
  std::uint64_t hidden = 0;

  friend auto operator<=>(const name_hidden&, const name_hidden&) = default; // NOLINT(modernize-use-nullptr)
};

/// List of one of the servers.
struct member_list {
  std::uint64_t server = 0;
  list_kind kind = list_kind::tools;

  friend auto operator<=>(const member_list&, const member_list&) = default; // NOLINT(modernize-use-nullptr)
};

/// Part that merged lists lack: of one list of a server, or of all its lists, because the server does not run.
struct missing_part {
  missing_part() = default;
  missing_part(std::uint64_t of, std::optional<list_kind> which) : server{of}, list{which} {}
  missing_part(const member_list& of) : missing_part{of.server, of.kind} {}

  std::uint64_t server = 0;
  /// Empty for all lists.
  std::optional<list_kind> list = {};

  friend auto operator<=>(const missing_part&, const missing_part&) = default; // NOLINT(modernize-use-nullptr)
};

/// Report that a merged list lacks a server's part or the rest of it, or that the part is still unavailable.
struct list_part_failed {
  missing_part which;
  /// Server's error text, or the fault in its answer; not sanitised.
  std::string why;

  friend bool operator==(const list_part_failed&, const list_part_failed&) = default;
};

/// Report that a server whose part of a list had failed answers again.
struct list_part_recovered {
  missing_part which;

  friend bool operator==(const list_part_recovered&, const list_part_recovered&) = default;
};

using catalog_effect = std::variant<send_to_member, send_to_client, member_known, member_slow, member_left, name_hidden,
                                    list_part_failed, list_part_recovered, end_catalog>;
using catalog_effects = std::vector<catalog_effect>;

} // namespace troupe::protocol
