#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/member_uris.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A request of ours that a server has, or that waits for it.
struct member_request {
  enum class kind {
    /// `initialize`.
    greeting,
    /// `logging/setLevel`, whose answer nobody waits for.
    level,
    /// The whole of a client's request.
    call,
    /// A part of a merged list.
    page,
    /// A part of a list that went out without it.
    late_page,
    /// A page of a list in which a name is searched for.
    search
  };
  std::uint64_t server = 0;
  kind is = kind::call;
  /// The client's id, a JSON token, of the request that it serves; empty when it serves none.
  std::string id = {};
  /// The client's progress token; empty when it wants no progress.
  std::string token = {};
  /// Where the answer has URIs.
  result_shape shape = result_shape::other;
  /// The list that is asked for.
  list_kind list = list_kind::tools;
  /// How many further pages a late page is asked for, on the way to the one that failed.
  std::uint64_t pages_left = 0;
  /// Size of the client's request that waits for the answer to a search, in bytes.
  std::size_t holds = 0;
  /// When the client gets its list without this page, or nobody waits for a late one any more.
  time_point deadline = time_point::max();

  /// There is one client.
  std::optional<std::uint64_t> asker() const { return id.empty() ? std::nullopt : std::optional<std::uint64_t>{0}; }
};

/// The requests under way to all servers of a session, each under an id of ours. A request of the client is under way
/// as long as one of these serves it.
class member_request_table {
public:
  /// Gives our id.
  std::uint64_t add(member_request one);
  /// Our next id, for what is not in this table.
  std::uint64_t new_id() { return table_.new_id(); }
  const member_request* find(std::uint64_t own) const { return table_.find(own); }
  std::optional<member_request> take(std::uint64_t own);
  /// A page whose list went out without it serves no request of the client any more.
  void make_late(std::uint64_t own, time_point until);

  /// Whether a request of the client is under way, and our ids of what serves it.
  bool serves(std::string_view client_id) const { return table_.own_id_of(0, client_id).has_value(); }
  std::vector<std::uint64_t> serving(std::string_view client_id) const { return table_.own_ids_of(0, client_id); }
  /// Our ids of the requests of which a test is true, in the order in which they were made.
  template <class Test>
  std::vector<std::uint64_t> which(Test test) const {
    return table_.those(test);
  }
  /// The client's ids of the lists of which a page is late.
  std::set<std::string> late(time_point now) const;
  /// Our ids of the late pages for which nobody waits any more.
  std::vector<std::uint64_t> overdue(time_point now) const;

  std::size_t size() const { return table_.size(); }
  /// The requests of the client that are under way.
  std::size_t served() const { return served_; }
  /// The first deadline; never when there is none.
  time_point deadline() const { return table_.deadline(); }

private:
  void stopped_serving(std::string_view client_id);

  request_table<member_request> table_;
  std::size_t served_ = 0;
};

/// Requests of servers that wait for the client, such as `sampling/createMessage`, each under an id of ours: the ids of
/// several servers may be equal.
class member_questions {
public:
  /// `limit` is how many may wait at once, of all servers together.
  explicit member_questions(std::size_t limit) : limit_{limit} {}

  bool is_full() const { return questions_.size() >= limit_; }
  /// Asks the client under an id of ours, which must be new; not when it is full.
  void ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out);
  /// The client's answer goes to the server that asked; one to no question is dropped.
  void answer(message from, catalog_effects& out);
  /// `notifications/progress` of the client.
  void progress(message from, catalog_effects& out) const;
  /// `notifications/cancelled` of a server: it does not wait any more.
  void withdraw(std::uint64_t server, message from, catalog_effects& out);
  /// The server is gone: the client need not answer it any more.
  void withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out);

  /// Whose question the client has under an id of ours; nothing when it has none.
  std::optional<std::uint64_t> server_of(std::uint64_t own) const {
    auto* found = questions_.find(own);
    return found ? std::optional{found->server} : std::nullopt;
  }
  std::size_t size() const { return questions_.size(); }

private:
  struct question {
    std::uint64_t server = 0;
    /// The server's id and its progress token, JSON tokens; the second is empty when it wants no progress.
    std::string id;
    std::string token;
    /// The client may think as long as it likes.
    static constexpr time_point deadline = time_point::max();

    /// Few wait at once: those of a server are looked for among all.
    static constexpr std::optional<std::uint64_t> asker() { return std::nullopt; }
  };

  std::size_t limit_;
  request_table<question> questions_;
};

} // namespace troupe::protocol
