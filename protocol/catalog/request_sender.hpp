#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_members.hpp"
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

/// Request of ours in flight at a server, or waiting for it.
struct member_request {
  enum class kind {
    /// `initialize`.
    greeting,
    /// `logging/setLevel`, whose answer is ignored.
    level,
    /// A whole request of the client.
    call,
    /// Part of a merged list.
    page,
    /// Part of a list that went out without it.
    late_page,
    /// Page of a list that is searched for a name.
    search
  };
  std::uint64_t server = 0;
  kind is = kind::call;
  /// Client's id of the request that this serves, a JSON token; empty if none.
  std::string id = {};
  /// Client's progress token; empty if it wants no progress.
  std::string token = {};
  /// Places of URIs in the answer.
  result_shape shape = result_shape::other;
  /// List that is requested.
  list_kind list = list_kind::tools;
  /// Number of further pages to request, on the way to the page that failed.
  std::uint64_t pages_left = 0;
  /// Size of the client's request that waits for a search, in bytes.
  std::size_t holds = 0;
  /// Time when a list goes out without this page, or a late page is given up.
  time_point deadline = time_point::max();

  /// All requests are of one client.
  std::optional<std::uint64_t> requester() const { return id.empty() ? std::nullopt : std::optional<std::uint64_t>{0}; }
};

/// Requests in flight to all servers of a session, each under our id. A request of the client is in flight as long as
/// one of these serves it.
class member_request_table {
public:
  /// Adds a request and returns our id.
  std::uint64_t add(member_request one);
  /// Returns our next id, for requests outside this table.
  std::uint64_t new_id() { return table_.new_id(); }
  const member_request* find(std::uint64_t own) const { return table_.find(own); }
  /// Returns the request that made progress, see `request_table::progressed`.
  const member_request* progressed(message& progress) { return table_.progressed(progress); }
  std::optional<member_request> extract(std::uint64_t own);
  /// Marks a page as late: its list went out without it, so it no longer serves a request of the client.
  void make_late(std::uint64_t own, time_point until);

  /// Whether a request of the client is in flight, and our ids of the requests that serve it.
  bool serves(std::string_view client_id) const { return table_.own_id_of(0, client_id).has_value(); }
  std::vector<std::uint64_t> serving(std::string_view client_id) const { return table_.own_ids_of(0, client_id); }
  /// Returns our ids of the requests that pass a test, in the order in which they were made.
  template <class Test>
  std::vector<std::uint64_t> ids_where(Test test) const {
    return table_.ids_where(test);
  }
  /// Returns the client's ids of list requests with an overdue page.
  std::set<std::string> late(time_point now) const;
  /// Returns our ids of late pages whose time has expired.
  std::vector<std::uint64_t> overdue(time_point now) const;

  std::size_t size() const { return table_.size(); }
  /// Number of the client's requests in flight.
  std::size_t served() const { return served_; }
  /// Earliest deadline; max() if there is none.
  time_point deadline() const { return table_.deadline(); }

private:
  void stopped_serving(std::string_view client_id);

  request_table<member_request> table_;
  std::size_t served_ = 0;
};

/// Requests of servers to the client, such as `sampling/createMessage`, each under our id: ids of several servers may
/// be equal.
class member_questions {
public:
  /// `limit`: most questions at once, of all servers together.
  explicit member_questions(std::size_t limit) : limit_{limit} {}

  bool is_full() const { return questions_.size() >= limit_; }
  /// Asks the client under a new id of ours. Must not be called when full.
  void ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out);
  /// Passes the client's answer to the server that asked; drops an answer without a question.
  void answer(message from, catalog_effects& out);
  /// Passes on the client's progress.
  void progress(message from, catalog_effects& out);
  /// Withdraws a question that the server cancels.
  void withdraw(std::uint64_t server, message from, catalog_effects& out);
  /// Withdraws all questions of a server that is gone.
  void withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out);

  /// Returns the server that asked the client under our id; empty if there is no such question.
  std::optional<std::uint64_t> server_of(std::string_view own) const {
    auto* found = questions_.find(own);
    return found ? std::optional{found->asker} : std::nullopt;
  }
  std::size_t size() const { return questions_.size(); }

private:
  std::size_t limit_;
  /// The client may take any time.
  server_question_table questions_;
};

/// Sends requests to servers, each under our id. A server that is not initialised first gets the client's own
/// `initialize`; the requests wait until it has answered.
class request_sender {
public:
  /// `most_waiting`: most bytes of client requests that wait for servers that are not initialised.
  request_sender(catalog_members& members, member_request_table& requests, std::size_t most_waiting)
      : members_{members}, requests_{requests}, most_waiting_{most_waiting} {}

  /// Servers of the session.
  catalog_members& members() { return members_; }

  /// Takes the client's `initialize`. No request is sent before.
  void begin(message&& hello) {
    reads_modern_ = hello.claims_modern;
    hello_ = std::move(hello.text);
  }
  /// Text of the client's `initialize`; empty before it.
  const std::string& hello() const { return hello_; }
  /// True if `initialize` is from a stateless (2026-07-28) client.
  bool reads_modern() const { return reads_modern_; }

  /// True if the client's request may wait for that many servers that are not initialised. Otherwise refuses it.
  bool may_wait(const message& request, std::size_t servers, catalog_effects& out) const;
  /// Sends a request, or queues it. Returns our id.
  std::uint64_t ask(catalog_member& to, message what, member_request how, catalog_effects& out);
  /// Sends a client's request to one server, if it may wait. `shape` shows where the answer has URIs.
  void call(catalog_member& to, message what, result_shape shape, catalog_effects& out);
  /// Sends `initialize`, unless that was done.
  void greet(catalog_member& one, catalog_effects& out);
  /// Sends the queued requests of a server that is ready.
  void send_waiting(catalog_member& one, catalog_effects& out);

  /// Withdraws all requests that serve a request of the client. Our ids replace the id in the cancellation.
  void withdraw_all(std::string_view client_id, const message& cancelled, catalog_effects& out);
  /// Withdraws one request; does nothing if it was answered.
  void withdraw(std::uint64_t own, const message& cancelled, catalog_effects& out);
  /// Ignores a server's answers to requests of a kind, without cancelling them at the server.
  void forget(std::uint64_t server, member_request::kind is);
  /// Marks a page as late: its list goes out without it, and its answer is awaited until `until`. False if the server
  /// was not sent the request, which is then dropped.
  bool make_late(std::uint64_t own, time_point until);
  /// Passes on a server's progress. Drops progress of a list's part or a search, which says nothing about the whole.
  void progress(std::uint64_t server, message from, catalog_effects& out) const;

private:
  std::size_t waiting_bytes() const;

  catalog_members& members_;
  member_request_table& requests_;
  std::size_t most_waiting_;
  std::string hello_;
  bool reads_modern_ = false;
};

} // namespace troupe::protocol
