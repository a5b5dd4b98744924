#pragma once

#include "protocol/session/agreement.hpp"
#include "protocol/session/calls.hpp"
#include "protocol/session/record_schedule.hpp"
#include "protocol/session/session_turn.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

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

} // namespace troupe::protocol
