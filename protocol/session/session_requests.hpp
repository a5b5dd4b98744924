#pragma once

#include "protocol/delivery/backlog.hpp"
#include "protocol/delivery/effects.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/session/agreement.hpp"
#include "protocol/session/record_schedule.hpp"
#include "protocol/session/session_limits.hpp"
#include "protocol/session/session_turn.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A request that is under way, as the side that asked knows it.
struct call {
  /// The asker's id, a JSON token.
  std::string id;
  /// The asker's progress token; empty when it wants no progress.
  std::string token;
  /// The exchange that brought it, or the stream that carried it.
  exchange_id exchange = 0;
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};

  /// All are of one side.
  static constexpr std::optional<std::uint64_t> asker() { return 0; }
};

/// Requests under way in one direction, each under an id of ours. Our ids count up and are never used again, so an
/// answer that comes late finds nothing.
class calls {
public:
  /// Takes a request under way and gives it an id of ours.
  std::uint64_t add(call one);
  const call* find(std::uint64_t own) const { return all_.find(own); }
  /// Progress was made under a token of ours, see `request_table::progressed`.
  const call* progressed(std::string_view own_token, time_point deadline) {
    return all_.progressed(own_token, deadline);
  }
  /// A request goes with an exchange from now on.
  void go_with(std::uint64_t own, exchange_id exchange);
  /// Our id for a request of the asker; nothing when none of that id is under way.
  std::optional<std::uint64_t> own_id_of(std::string_view asker_id) const { return all_.own_id_of(0, asker_id); }
  /// Ends a request.
  std::optional<call> take(std::uint64_t own);
  /// Ends every request that is late, and gives our ids with them, in the order of those.
  std::vector<std::pair<std::uint64_t, call>> take_late(time_point now);

  /// How many belong to an exchange, whichever it is.
  std::size_t of_exchanges() const { return of_exchanges_; }
  /// Our ids count on from a number.
  void count_from(std::uint64_t last) { all_.count_from(last); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  /// The first deadline; never when there is none.
  time_point deadline() const { return all_.deadline(); }

private:
  request_table<call> all_;
  std::size_t of_exchanges_ = 0;
};

/// The requests of a session's client that its server has not answered yet, each under an id and a progress token of
/// ours; and those that the gateway itself makes of the server, whose answers no client gets.
class client_requests {
public:
  /// Why the requests of a POST cannot be taken; nothing when all can. `closing` says why nothing new begins, if so.
  std::optional<rejection> refuse(const post_body& body, const agreement& agreed,
                                  const std::optional<std::string>& closing, std::size_t most) const;

  // -- new ones
  /// Takes a request, rewrites it to the id and the token of ours under which it goes to the server, and gives that id.
  std::uint64_t add(exchange_id exchange, message& request, const session_turn& turn);
  /// The client's `initialize`, which goes to the server.
  void initialize(exchange_id exchange, message hello, session_turn& turn);
  /// The same for the new server of a session that is restored: no client waits for the answer.
  void initialize_again(message hello, session_turn& turn);
  /// Asks the server, on behalf of the gateway, for something with one parameter.
  void ask(std::string_view method, std::string_view name, std::string_view value, session_turn& turn);

  // -- those under way
  /// The server made progress with one.
  void progressed(message&& from, session_turn& turn);
  /// The client cancels one; gives our id, nothing when it is not under way. It gets no answer, but its exchange ends.
  std::optional<std::uint64_t> cancel(message&& from, session_turn& turn);
  /// The server answered the one of our id, which ends by it.
  std::optional<call> take(std::uint64_t own) { return calls_.take(own); }
  /// Each is answered by an error, and counts as `how`.
  void fail_all(const std::string& why, call_outcome how, session_turn& turn);
  /// Fails the one that the client knows by this id, and cancels it at the server; false when none is under way.
  bool end(std::string_view id, const std::string& why, record_schedule& record, session_turn& turn);
  /// The one that begins the session is refused, and the client may try again.
  static void refuse_for_now(const call& asked, std::string why, session_turn& turn);
  /// The same while `initialize` is all that is under way.
  void refuse_all(const std::string& why, session_turn& turn);
  /// Fails the requests that are late. Returns whether there was one.
  bool fail_late(record_schedule& record, session_turn& turn);
  /// The same while `initialize` is all that is under way. Gives why it failed.
  std::optional<std::string> fail_late_initialize(session_turn& turn);

  /// The client's id for the one of our id, a JSON token; empty when none of the client's is under way.
  std::string_view asked_as(std::string_view own) const;
  std::size_t size() const { return calls_.size(); }
  bool empty() const { return calls_.empty(); }
  /// The earliest deadline.
  time_point deadline() const { return calls_.deadline(); }

private:
  std::uint64_t add(call one, message& request);
  void ask(message request, std::chrono::milliseconds limit, session_turn& turn);
  void fail(const call& asked, const std::string& why, session_turn& turn,
            call_outcome how = failed_with(error_code::internal_error));
  void give_up(std::uint64_t own, std::string_view reason, record_schedule& record, session_turn& turn);

  calls calls_;
};

/// The requests of a session's server that its client has not answered yet, each under an id and a progress token of
/// ours; and what the server says too early, which waits until the client is ready for it.
class server_requests {
public:
  explicit server_requests(const session_limits& limits) : held_{limits.held, limits.held_bytes} {}

  // -- what waits
  /// A request that finds no room is refused.
  void hold(message&& from, session_turn& turn);
  /// Client and server have agreed: notifications wait no more, requests do.
  void release_notifications(session_turn& turn);
  /// The client is initialized: nothing waits any more.
  void release_all(const agreement& agreed, session_turn& turn);

  // -- new ones
  /// Sends a request of the server to the client, or refuses it.
  void take(message&& from, const agreement& agreed, session_turn& turn);

  // -- those under way
  /// The server cancelled a request, which may be in flight or still waiting.
  void withdraw(message&& from, session_turn& turn);
  /// The client made progress with one.
  void progressed(message&& from, session_turn& turn);
  /// The client answers; an answer to nothing is dropped.
  void answered(message&& from, session_turn& turn);
  /// Fails those whose time is over.
  void fail_late(session_turn& turn);

  /// Our ids continue after this number, so that no question from before the session was restored has one of them.
  void count_from(std::uint64_t last) { questions_.count_from(last); }
  std::size_t size() const { return questions_.size(); }
  /// The earliest deadline.
  time_point deadline() const { return questions_.deadline(); }

private:
  void put(message&& from, session_turn& turn);

  calls questions_;
  backlog held_;
};

} // namespace troupe::protocol
