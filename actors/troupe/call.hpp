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

/// What a client answered to a question.
struct client_reply {
  /// The result; for `elicit` it has `action` and, when that is `accept`, `content`.
  json::object result;
  /// Why there is none; empty when there is one.
  std::string error;

  explicit operator bool() const { return error.empty(); }
};

/// A call of a tool, a resource or a prompt, to be answered once, now or later. All copies are the same call: it is
/// answered with an error when the last one is gone and none has answered.
///
/// Every function is callable from any thread and never blocks; when the client, its session or the gateway is gone,
/// what is said has no effect.
///
/// What is called back runs on one thread of the gateway, apart from handlers, which may wait for it; it should not
/// block that thread for long. What it throws fails the call, as in a handler.
class call {
public:
  using continuation = callback<const client_reply&>;

  /// For the library.
  explicit call(std::shared_ptr<actors::call_state> state) : state_{std::move(state)} {}

  /// The tool's or prompt's name, or the resource's URI.
  const std::string& name() const;
  /// The arguments of a tool, checked by its schema, or of a prompt; the variables of a resource template.
  const json::object& arguments() const;

  /// The answer. The first counts; whether this was it.
  bool answer(troupe::answer with) const;
  /// The whole result, for what an `answer` cannot say.
  bool answer_result(const json::object& result) const;
  /// The answer is a failure: of the tool, or else of the server (-32603).
  bool fail(std::string_view why) const;
  /// The answer is an error of the protocol.
  bool refuse(int code, std::string_view why) const;

  /// Tells how far it is; `total` unless it is zero. Nothing is sent when the client does not want to know, or when it
  /// is no farther than it was.
  void progress(double done, double total = 0, std::string_view message = {}) const;
  /// A log message for the client: `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`;
  /// no other level is sent.
  void log(std::string_view level, const json::value& what, std::string_view logger = {}) const;

  /// The client no longer waits, or is gone.
  bool cancelled() const;
  /// Calls back once when the client no longer waits; at once, where it is called, when that is already so. Not when
  /// the call was answered before.
  void on_cancel(const callback<>& then) const;

  /// Asks the client's user to fill in a form (elicitation). The reply comes once: with an error when the client cannot
  /// do it, or when the call ends before. Who ends the call by an answer is called back where that is done.
  void elicit(std::string_view message, const json::object& schema, const continuation& then) const;
  /// Asks the client's model (`sampling/createMessage`) or anything else that a server may ask.
  void ask(std::string_view method, const json::object& params, const continuation& then) const;
  /// Asks and waits for the reply, on a thread where that does no harm.
  client_reply ask(std::string_view method, const json::object& params) const;

private:
  std::shared_ptr<actors::call_state> state_;
};

} // namespace troupe
