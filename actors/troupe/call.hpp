#pragma once

#include "answer.hpp"
#include "callback.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace actors {
class call_state;
}

/// Reply of a client to a question.
struct client_reply {
  /// Result; that of `elicit` has `action` and, if `action` is `accept`, `content`.
  json::object result;
  /// Reason why there is no result; empty if there is one.
  std::string error;

  explicit operator bool() const { return error.empty(); }
};

/// A call of a tool, a resource or a prompt, to be answered once, now or later. All copies are the same call. If the
/// last copy is destroyed without an answer, the call is answered with an error.
///
/// Every function is callable from any thread and, except for the `ask` that waits, never blocks. Functions have no
/// effect after the client, its session or the gateway is gone.
///
/// Callbacks run on one thread of the gateway, not on those of handlers, so a handler may wait for a callback. A
/// callback should not block that thread for long. An exception in a callback fails the call, as in a handler.
class call {
public:
  using continuation = callback<const client_reply&>;

  /// Used by the library only.
  explicit call(std::shared_ptr<actors::call_state> state) : state_{std::move(state)} {}

  /// Name of the tool or prompt, or URI of the resource.
  const std::string& name() const;
  /// Arguments of a tool, checked against its schema, or of a prompt; variables of a resource template.
  const json::object& arguments() const;

  /// Answers the call. Only the first answer counts; returns whether this was it.
  bool answer(troupe::answer with) const;
  /// Answers with the whole result, for results that an `answer` cannot express.
  bool answer_result(const json::object& result) const;
  /// Answers with a failure: of the tool, or else of the server (-32603).
  bool fail(std::string_view why) const;
  /// Answers with a JSON-RPC error.
  bool refuse(int code, std::string_view why) const;

  /// Reports progress; `total` is left out if zero. Sent only if the client asked for progress and `done` has grown.
  void progress(double done, double total = 0, std::string_view message = {}) const;
  /// Sends a log message to the client. The level is `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert`
  /// or `emergency`; messages of other levels are not sent.
  void log(std::string_view level, const json::value& what, std::string_view logger = {}) const;

  /// True if the client no longer waits for the answer, or is gone.
  bool cancelled() const;
  /// Calls `then` once when the client stops waiting. If it has stopped already, calls `then` at once, on this thread.
  /// Does nothing if the call was answered before.
  void on_cancel(const callback<>& then) const;

  /// Asks the client's user to fill in a form (elicitation). Calls `then` once: with an error if the client does not
  /// support forms, or if the call ends first. If an answer ends the call, `then` runs on the thread that answers.
  void elicit(std::string_view message, const json::object& schema, const continuation& then) const;
  /// Sends a request of a server to its client, such as `sampling/createMessage` to the client's model.
  void ask(std::string_view method, const json::object& params, const continuation& then) const;
  /// Sends a request and blocks until the reply; only for threads that may block.
  client_reply ask(std::string_view method, const json::object& params) const;

private:
  std::shared_ptr<actors::call_state> state_;
};

} // namespace troupe
