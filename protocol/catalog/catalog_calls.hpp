#pragma once

#include "protocol/catalog/merged_cursor.hpp"
#include "protocol/catalog/result_uris.hpp"
#include "protocol/message/list_kind.hpp"
#include "protocol/message/message.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// A request of ours that a server has, or that waits for it.
struct member_call {
  enum class reason {
    /// `initialize`.
    greeting,
    /// `logging/setLevel`, which nobody waits for.
    level,
    /// The whole of a client's request.
    call,
    /// A part of a list.
    page,
    /// A part of a list that went out without it.
    late_page,
    /// One of several servers that may have a resource.
    read,
    /// A list that is searched for a name.
    search
  };
  std::uint64_t server = 0;
  reason why = reason::call;
  /// The client's id of the request that it serves; empty when it serves none.
  std::string client_id = {};
  /// The client's progress token; empty when it wants no progress.
  std::string token = {};
  result_shape shape = result_shape::other;
  list_kind list = list_kind::tools;
};

/// A server's part of a merged list.
struct list_part {
  std::uint64_t server = 0;
  std::uint64_t own_id = 0;
  /// Its answer, once it is there; one without a result stands for nothing.
  std::string answer = {};
};

/// A list that is being merged.
struct list_round {
  list_kind kind = list_kind::tools;
  bool first_page = true;
  /// Then it goes out with what is there.
  time_point until = {};
  /// In configured order.
  std::vector<list_part> parts = {};
};

/// A read of a resource that several servers may have.
struct read_round {
  std::string uri;
  std::size_t unanswered = 0;
};

/// A call whose name is looked for in the lists of servers that may have it, one after the other.
struct name_search {
  message request;
  list_kind kind = list_kind::tools;
  std::vector<std::uint64_t> servers = {};
  std::size_t pages = 0;
  /// Why a server's list could not be had; empty when all could.
  std::string failure = {};
};

/// A request of the client that is under way.
struct client_call {
  /// Our ids of what serves it.
  std::vector<std::uint64_t> own_ids = {};
  std::variant<std::monostate, list_round, read_round, name_search> what = {};
};

/// A server's request that waits for the client.
struct member_question {
  std::uint64_t server = 0;
  std::string id;
  /// The server's progress token; empty when it wants no progress.
  std::string token = {};
};

} // namespace troupe::protocol
