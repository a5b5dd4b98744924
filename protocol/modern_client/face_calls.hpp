#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/modern_client/stateless_effects.hpp"
#include "protocol/supervised/log_levels.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// A request of 2026-07-28 on its way to the server.
struct stateless_request {
  exchange_id exchange = 0;
  message what;
  request_envelope envelope = {};
  /// It brings answers to what its client was asked.
  bool is_retry = false;
};

/// Whether the request is a `subscriptions/listen`.
inline bool is_listen(const stateless_request& one) { return one.what.is_method("subscriptions/listen"); }

/// Requests that wait until the server, or what must be known of it, is there. In the order in which they came.
class waiting_requests {
public:
  /// The budget outlives this.
  explicit waiting_requests(byte_budget& bytes) : bytes_{bytes} {}

  /// False, and nothing is done, when it is too many bytes.
  bool add(stateless_request& one);
  /// False when it is none of these.
  bool withdraw(exchange_id exchange);
  std::vector<stateless_request> take_all();
  /// Those that are `subscriptions/listen`.
  std::vector<stateless_request> take_listens();
  /// Answers each with an internal error; `how` and `is_shortage` as `give_answer` has them.
  void fail_all(std::string_view why, stateless_effects& out, call_outcome::kind how = call_outcome::kind::success,
                bool is_shortage = false);

  /// Whether the exchange is of a `subscriptions/listen` that waits.
  bool is_listening(exchange_id exchange) const;
  std::size_t size() const { return all_.size(); }

private:
  struct kept {
    stateless_request what;
    byte_budget::share bytes;
  };

  byte_budget& bytes_;
  std::list<kept> all_;
};

/// A request of a client of 2026-07-28 at the server.
struct face_call {
  /// The server's id for it: the exchange that brought it first.
  exchange_id own = 0;
  /// The client's id for the request that waits for the answer, and its progress token, empty when it wants no
  /// progress. JSON tokens.
  std::string id;
  std::string token;
  /// The least severity of log messages that it wants; none when it wants none.
  std::optional<severity> level;
  /// What the client can be asked, as it said with its latest request.
  client_profile can = {};
  /// Who sent that, as `message::asker`.
  std::shared_ptr<const principal> asker = {};
  std::string method;
  /// The `uri` among its params, a JSON token; empty when it has none.
  std::string uri;
  /// Its params, when it may be parked; otherwise empty.
  std::string params;
  /// The `name` in them, which may be long: whoever compares calls need not look for it in each.
  slice name_at = {};
  /// The server is of 2026-07-28 itself: its answer is given as it is.
  bool passes = false;
  /// For the texts above. Those of a retry take the place of others and count no more.
  std::optional<byte_budget::share> bytes = {};
  /// Where the answer goes; nothing while the call is parked.
  std::optional<exchange_id> exchange;
  /// Whether the server has yet to answer it.
  bool is_at_server = true;
  /// When it got its exchange or was parked: of two calls the one with the higher number did so later.
  std::uint64_t turn = 0;
  /// How often the client was asked, and how many questions there were.
  std::uint64_t round = 0;
  std::uint64_t questions = 0;
};

/// Its method, and what that names.
std::string name_of(const face_call& call);

/// The calls that a server can mean when it asks something, by its ids; all when nothing.
using calls_meant = std::optional<std::vector<std::string>>;

/// The calls of one lease, by the server's id and by their exchange.
class face_calls {
public:
  /// Whose exchange is the server's id.
  face_call& add(face_call one);
  face_call* find(exchange_id own);
  face_call* find_by_exchange(exchange_id exchange);
  /// Its answer goes to another request, with what that says of its client.
  void attach(face_call& call, exchange_id exchange, const message& request, const request_envelope& envelope);
  /// Its exchange was answered, but it stays. Gives that exchange.
  exchange_id detach(face_call& call);
  void remove(exchange_id own);

  /// The call with the latest turn that a server's question can belong to: one that waits for its answer, or else one
  /// that is parked and at the server. Null when there is none.
  face_call* latest_for_question(const calls_meant& about);
  /// Of the same name as a call, that the question can belong to as well, and that wait for their answers as it does.
  std::vector<face_call*> alike(const face_call& call, const calls_meant& about);
  /// The only one that the server works on, parked or not; null when there are several.
  const face_call* only_at_server() const;
  /// The level that the server has to be told, when it is another than the one that it was told last: the most verbose
  /// that one which waits for its answer wants.
  std::optional<severity> news_of_level() { return levels_.news(); }
  /// The server that comes next has no level yet.
  void forget_level() { levels_.untold(); }
  std::size_t attached() const { return by_exchange_.size(); }
  std::size_t size() const { return all_.size(); }
  template <class Do>
  void each(Do act) {
    for (auto at = all_.begin(); at != all_.end();)
      act((at++)->second);
  }

private:
  std::vector<face_call*> for_question(const calls_meant& about);
  void list(face_call& call);
  void unlist(const face_call& call);

  std::map<exchange_id, face_call> all_;
  std::map<exchange_id, face_call*> by_exchange_;
  log_levels levels_;
  std::uint64_t turns_ = 0;
};

} // namespace troupe::protocol
