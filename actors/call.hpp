#pragma once

#include "answer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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
class call {
public:
  using continuation = std::function<void(const client_reply&)>;

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

  /// Tells how far it is; `total` unless it is zero. Nothing is sent when the client does not want to know.
  void progress(double done, double total = 0, std::string_view message = {}) const;
  /// A log message for the client: `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`.
  void log(std::string_view level, const json::value& what, std::string_view logger = {}) const;

  /// The client no longer waits, or is gone.
  bool cancelled() const;
  /// Calls back once when the client no longer waits, on a thread of the gateway for handlers; at once when that is
  /// already so. Not when the call was answered before.
  void on_cancel(const std::function<void()>& then) const;

  /// Asks the client's user to fill in a form (elicitation). The reply comes once, on a thread of the gateway for
  /// handlers: with an error when the client cannot do it, or when the call ends before.
  void elicit(std::string_view message, const json::object& schema, const continuation& then) const;
  /// Asks the client's model (`sampling/createMessage`) or anything else that a server may ask.
  void ask(std::string_view method, const json::object& params, const continuation& then) const;
  /// Asks and waits for the reply, on a thread where that does no harm.
  client_reply ask(std::string_view method, const json::object& params) const;

private:
  std::shared_ptr<actors::call_state> state_;
};

} // namespace troupe
