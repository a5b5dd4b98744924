#pragma once

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What a catalog decides. Its actor carries the effects out in the order in which they stand.

/// Write to a server, which is started if it does not run.
struct tell_member {
  std::uint64_t server = 0;
  message what;
  friend bool operator==(const tell_member&, const tell_member&) = default;
};

/// Write to the session, as its one server would.
struct tell_client {
  message what;
  friend bool operator==(const tell_client&, const tell_client&) = default;
};

/// The answer to a request of the client that is not carried out.
tell_client refused(const message& request, int code, std::string_view why);

/// Remember what a server answered to `initialize`, for later sessions.
struct member_known {
  std::uint64_t server = 0;
  std::string result;
  friend bool operator==(const member_known&, const member_known&) = default;
};

/// Nothing more is wanted of a server that was removed.
struct member_left {
  std::uint64_t server = 0;
  friend bool operator==(const member_left&, const member_left&) = default;
};

/// The session is over; `why` is for the log. `is_shortage` when a server could not be begun for lack of descriptors,
/// memory or processes, of which nothing was told yet.
struct end_catalog {
  std::string why;
  bool is_shortage = false;
  friend bool operator==(const end_catalog&, const end_catalog&) = default;
};

/// It has not answered `initialize` in the time that a session waits for it: to be remembered for later sessions.
struct member_slow {
  std::uint64_t server = 0;

  friend bool operator==(const member_slow&, const member_slow&) = default;
};

/// A server's tool or prompt is left out of a list, because another's has that name. Told once in a session.
struct name_hidden {
  list_kind kind = list_kind::tools;
  /// As clients see it.
  std::string name;
  /// The server whose it is, and the one whose is left out.
  std::uint64_t shown = 0;
  std::uint64_t hidden = 0;

  friend auto operator<=>(const name_hidden&, const name_hidden&) = default; // NOLINT(modernize-use-nullptr)
};

/// A list of one of the servers.
struct member_list {
  std::uint64_t server = 0;
  list_kind kind = list_kind::tools;

  friend auto operator<=>(const member_list&, const member_list&) = default; // NOLINT(modernize-use-nullptr)
};

/// The client got a merged list that lacks all or the rest of a server's part, or that cannot be had yet.
struct list_part_failed {
  member_list which;
  /// The server's own words, or what was wrong with its answer; not cleaned.
  std::string why;

  friend bool operator==(const list_part_failed&, const list_part_failed&) = default;
};

/// The server answers again for the list whose part had failed.
struct list_part_recovered {
  member_list which;

  friend bool operator==(const list_part_recovered&, const list_part_recovered&) = default;
};

using catalog_effect = std::variant<tell_member, tell_client, member_known, member_slow, member_left, name_hidden,
                                    list_part_failed, list_part_recovered, end_catalog>;
using catalog_effects = std::vector<catalog_effect>;

} // namespace troupe::protocol
