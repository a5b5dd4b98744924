#pragma once

#include "actors/troupe/call.hpp"
#include "net/guarded.hpp"
#include "protocol/hosted/hosted_server.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// State of one call of a handler, shared by the host's threads and the upstream's actor. A call ends once, by its
/// answer or by cancellation. Callable from any thread.
class call_state : public std::enable_shared_from_this<call_state> {
public:
  /// Runs a callback of the host on a thread that may block.
  using runner = std::function<void(std::function<void()>)>;

  /// Functions by which a call reaches its gateway. Called on any thread, even after the gateway's end; they must not
  /// block.
  struct gateway_links {
    /// Sends a message of the call: its answer, a notification or a question.
    std::function<void(protocol::message)> tell;
    /// Logs an exception of the host's code.
    std::function<void(const protocol::hosted_call& what, std::string_view why)> note;
  };

  call_state(protocol::hosted_call what, gateway_links gateway);
  /// Fails the call if it was not answered.
  ~call_state();
  call_state(const call_state&) = delete;
  call_state& operator=(const call_state&) = delete;

  const protocol::hosted_call& what() const { return what_; }

  // -- the host's side
  bool answer(troupe::answer with);
  /// A tool's failure is a result with `isError`; other calls fail with a JSON-RPC error.
  bool fail(std::string_view why);
  bool finish(const json::object& result);
  bool finish(int code, std::string_view why);
  void notify(std::string_view method, const std::string& params);
  bool cancelled() {
    return under_way_.with([](under_way& now) { return now.cancelled; });
  }
  void on_cancel(const callback<>& then);
  /// `at_once`: the continuation does not block and is called on the thread where the reply arrives.
  void ask(std::string_view method, const json::object& params, const call::continuation& then, bool at_once);

  // -- the actor's side
  void cancel(const runner& run);
  void receive_reply(const protocol::message& reply, const runner& run);

  /// Calls code of the host. An exception fails the call, unless the call is over.
  void call_host(const std::function<void()>& code);

private:
  struct question {
    call::continuation then;
    bool at_once = false;
  };
  struct under_way {
    bool over = false;
    bool cancelled = false;
    std::vector<callback<>> on_cancel;
    std::uint64_t last_question = 0;
    std::map<std::uint64_t, question> questions;
  };

  bool finish(protocol::message with);
  /// Ends the call, unless it has ended.
  std::optional<under_way> end(bool cancelled);
  void reply(const call::continuation& then, const client_reply& said) {
    call_host([&] { then(said); });
  }

  const protocol::hosted_call what_;
  const gateway_links gateway_;
  net::guarded<under_way> under_way_;
};

} // namespace troupe::actors
