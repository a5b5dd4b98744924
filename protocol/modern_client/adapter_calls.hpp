#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

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

/// Request of a stateless (2026-07-28) client for the server.
struct stateless_request {
  exchange_id exchange = 0;
  message what;
  request_envelope envelope = {};
  /// Whether the request brings answers to questions that its client was asked.
  bool is_retry = false;
};

/// True for a `subscriptions/listen`.
inline bool is_listen(const stateless_request& one) { return one.what.is_method("subscriptions/listen"); }

/// Requests, in order of arrival, that wait until the server is initialized or its tools are known.
class waiting_requests {
public:
  /// `bytes` must outlive this.
  explicit waiting_requests(byte_budget& bytes) : bytes_{bytes} {}

  /// Adds a request; false, without changes, if the byte budget is exhausted.
  bool add(stateless_request& one);
  /// Removes a request; false if it does not wait here.
  bool withdraw(exchange_id exchange);
  std::vector<stateless_request> extract_all();
  /// Removes and returns the `subscriptions/listen` requests.
  std::vector<stateless_request> extract_listens();
  /// Answers each with an internal error; for `how` and `is_shortage` see `send_response`.
  void fail_all(std::string_view why, stateless_effects& out, call_outcome::kind how = call_outcome::kind::success,
                bool is_shortage = false);

  /// True if the exchange belongs to a waiting `subscriptions/listen`.
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

/// Request of a stateless (2026-07-28) client in flight at the server, or parked.
struct adapter_call {
  /// Id at the server: the exchange that first brought the request.
  exchange_id own = 0;
  /// Client's id of the request that waits for the answer, and its progress token (empty if it wants no progress). JSON
  /// tokens.
  std::string id;
  std::string token;
  /// Least severity of log messages that the client wants; empty for no log messages.
  std::optional<severity> level;
  /// Capabilities that the client declared with its latest request.
  client_profile can = {};
  /// Sender of the latest request, as `message::requester`.
  std::shared_ptr<const principal> requester = {};
  std::string method;
  /// Param `uri` of a `resources/read`, a JSON token; empty if there is none.
  std::string uri;
  /// Params, if the call may be parked; otherwise empty.
  std::string params;
  /// Place of `name` in `params`, cached for comparing calls: params may be long.
  slice name_at = {};
  /// True if the server is stateless (2026-07-28) too: its answer passes unchanged.
  bool passes = false;
  /// Budget share for the texts above. The texts of a retry replace them without being counted.
  std::optional<byte_budget::share> bytes = {};
  /// Exchange that waits for the answer; empty while the call is parked.
  std::optional<exchange_id> exchange;
  /// True until the server answers.
  bool is_at_server = true;
  /// Order in which calls got their exchange or were parked: the latest has the highest number.
  std::uint64_t turn = 0;
  /// Numbers of rounds and of questions that the client was asked.
  std::uint64_t round = 0;
  std::uint64_t questions = 0;
};

/// Method of a call and the name or URI in its params.
std::string name_of(const adapter_call& call);

/// Calls that a server's question can concern, by the server's ids; empty for all.
using calls_meant = std::optional<std::vector<std::string>>;

/// Table of the calls of one lease, by the server's id and by exchange.
class adapter_calls {
public:
  /// Adds a call; its exchange serves as the server's id.
  adapter_call& add(adapter_call one);
  adapter_call* find(exchange_id own);
  adapter_call* find_by_exchange(exchange_id exchange);
  /// Attaches a parked call to the exchange of its retry, with the capabilities of the retry's client.
  void attach(adapter_call& call, exchange_id exchange, const message& request, const request_envelope& envelope);
  /// Detaches a call from its exchange, which was answered, and returns the exchange.
  exchange_id detach(adapter_call& call);
  void remove(exchange_id own);

  /// Returns the latest call that a server's question can concern: preferably one that waits for its answer, otherwise
  /// a parked one. Null if there is none.
  adapter_call* latest_for_question(const calls_meant& about);
  /// Returns the calls of the same name that the question can concern too, parked or waiting like `call`.
  std::vector<adapter_call*> alike(const adapter_call& call, const calls_meant& about);
  /// Returns the only call that the server works on, parked or not; null if there are none or several.
  const adapter_call* only_at_server() const;
  /// Returns the level to send to the server, if it differs from the last one sent. This is the most verbose level
  /// wanted by a call that waits for its answer.
  std::optional<severity> news_of_level() { return levels_.level_change(); }
  /// Forgets the level sent: the next server has none.
  void forget_level() { levels_.untold(); }
  std::size_t attached() const { return by_exchange_.size(); }
  std::size_t size() const { return all_.size(); }
  template <class Do>
  void each(Do act) {
    for (auto at = all_.begin(); at != all_.end();)
      act((at++)->second);
  }

private:
  std::vector<adapter_call*> for_question(const calls_meant& about);
  void list(adapter_call& call);
  void unlist(const adapter_call& call);

  std::map<exchange_id, adapter_call> all_;
  std::map<exchange_id, adapter_call*> by_exchange_;
  log_levels levels_;
  std::uint64_t turns_ = 0;
};

} // namespace troupe::protocol
