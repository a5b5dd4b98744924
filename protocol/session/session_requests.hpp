#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/delivery.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/session/agreement.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_record.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Context for handling one fact in a session: the time, and the effects of its parts. Lives until the fact is handled.
struct session_turn {
  const session_limits& limits;
  /// The delivery to the client.
  delivery& to_client;
  time_point now;
  /// Effects for the session's actor, in this order.
  effects out = {};
  /// Null if the outcome of requests is not wanted.
  const request_observer* observer = nullptr;
  /// End of the session by this fact: becomes the last effect.
  std::optional<end_session> end = {};

  void to_server(message&& what) { out.emplace_back(forward{std::move(what)}); }
  /// Answers a request of an exchange.
  void answer(exchange_id exchange, std::string&& text) { to_client.answer(exchange, std::move(text), now, out); }
  /// Notes the outcome of a client's request.
  void finished(exchange_id exchange, std::string_view id, call_outcome how) const {
    if (observer && exchange != 0)
      (*observer)(exchange, id, how);
  }
};

/// Request of a session's client, or of the gateway itself.
struct call {
  /// Client's id, a JSON token.
  std::string id = {};
  /// Client's progress token; empty if it wants no progress.
  std::string token = {};
  /// Exchange that brought the request; 0 for a request of the gateway, whose answer goes to no client.
  exchange_id exchange = 0;
  /// Time at which the request fails without progress; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};

  /// All requests that have an asker are of one client.
  std::optional<std::uint64_t> requester() const {
    return exchange != 0 ? std::optional<std::uint64_t>{0} : std::nullopt;
  }
};

/// Requests of a session's client that its server has not answered, each with our id and progress token. Also requests
/// that the gateway itself makes.
class client_requests {
public:
  /// Returns why a POST's requests cannot be accepted; empty if all can. `closing`: why nothing new may begin, if so.
  std::optional<rejection> refuse(const post_body& body, const agreement& agreed,
                                  const std::optional<std::string>& closing, std::size_t most) const;

  // -- new requests
  /// Adds a request, and rewrites it to our id and token for the server. Returns our id.
  std::uint64_t add(exchange_id exchange, message& request, const session_turn& turn);
  /// Sends the client's `initialize` to the server.
  void initialize(exchange_id exchange, message hello, session_turn& turn);
  /// Sends `initialize` to the new server of a restored session: no client waits for the answer.
  void initialize_again(message hello, session_turn& turn);
  /// Sends a request with one parameter to the server on behalf of the gateway.
  void ask(std::string_view method, std::string_view name, std::string_view value, session_turn& turn);

  // -- requests in flight
  /// Relays the server's progress to the client.
  void progressed(message&& from, session_turn& turn);
  /// Cancels a request for the client; its exchange ends without an answer. Returns our id; empty if not in flight.
  std::optional<std::uint64_t> cancel(message&& from, session_turn& turn);
  /// Removes a request that the server has answered, by our id.
  std::optional<call> extract(std::uint64_t own) { return calls_.extract(own); }
  /// Answers all requests with an error; `how` is their outcome.
  void fail_all(const std::string& why, call_outcome how, session_turn& turn);
  /// Answers all requests of a session that another node may own: those that have reached the server may have run, and
  /// fail. Those among the `held` effects have not, and are refused, as is `initialize`.
  void give_up(const effects& held, const agreement& agreed, session_turn& turn);
  /// Drops all requests: their client has given them up.
  void abandon_all(const session_turn& turn);
  /// Fails a request, by the client's id, and cancels it at the server; false if it is not in flight.
  bool end(std::string_view id, const std::string& why, record_schedule& record, session_turn& turn);
  /// Refuses `initialize` for now: the client may try again.
  static void refuse_for_now(const call& asked, std::string why, session_turn& turn);
  /// Calls `refuse_for_now` for all, while only `initialize` is in flight.
  void refuse_all(const std::string& why, session_turn& turn);
  /// Fails requests past their deadline. Returns whether there was one.
  bool fail_late(record_schedule& record, session_turn& turn);
  /// Fails an `initialize` past its deadline, while no other request is in flight. Returns why; empty if none was late.
  std::optional<std::string> fail_late_initialize(session_turn& turn);

  /// Returns the client's id for our id, a JSON token; empty if no request of the client has it.
  std::string_view asked_as(std::string_view own) const;
  std::size_t size() const { return calls_.size(); }
  bool empty() const { return calls_.empty(); }
  /// The earliest deadline.
  time_point deadline() const { return calls_.deadline(); }

private:
  void ask(message request, std::chrono::milliseconds limit, session_turn& turn);
  void fail(const call& asked, const std::string& why, session_turn& turn,
            call_outcome how = failed_with(error_code::internal_error));
  void give_up(std::uint64_t own, std::string_view reason, record_schedule& record, session_turn& turn);

  request_table<call> calls_;
};

/// Requests of a session's server that its client has not answered, each with our id and progress token. Also holds
/// messages that the server sent before the client was ready.
class server_requests {
public:
  explicit server_requests(const session_limits& limits) : held_{limits.held, limits.held_bytes} {}

  // -- held messages
  /// Holds a message. Refuses a request for which there is no room.
  void hold(message&& from, session_turn& turn);
  /// Client and server have agreed: sends the held notifications. Requests still wait.
  void release_notifications(session_turn& turn);
  /// The client is initialized: sends all held messages.
  void release_all(const agreement& agreed, session_turn& turn);

  // -- new requests
  /// Sends the server's request to the client, or refuses it.
  void receive_request(message&& from, const agreement& agreed, session_turn& turn);

  // -- requests in flight
  /// Cancels a request for the server, be it in flight or held.
  void withdraw(message&& from, session_turn& turn);
  /// Relays the client's progress to the server.
  void progressed(message&& from, session_turn& turn);
  /// Relays the client's answer; drops it if no request matches.
  void answered(message&& from, session_turn& turn);
  /// Fails requests past their deadline.
  void fail_late(session_turn& turn);

  /// Makes our ids continue after a number, so that none is reused from before a restore.
  void count_from(std::uint64_t last) { questions_.count_from(last); }
  std::size_t size() const { return questions_.size(); }
  /// The earliest deadline.
  time_point deadline() const { return questions_.deadline(); }

private:
  void put(message&& from, session_turn& turn);

  /// The receiver of each is the exchange or stream that carried it.
  server_question_table questions_;
  backlog held_;
};

} // namespace troupe::protocol
