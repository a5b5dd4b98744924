#include "net/client/http_fetch.hpp"

#include <memory>
#include <utility>

namespace troupe::net {

namespace {

/// Part of an answer that has arrived.
struct fetch_state {
  fetched result;
  std::function<void(fetched)> then;
  /// Aborts the call.
  std::function<void()> abort;

  void give_up(std::string why_not) {
    abort();
    tell(std::move(why_not));
  }
  void tell(std::string why_not = {}) {
    if (!why_not.empty())
      result = {{}, {}, std::move(why_not)};
    if (auto told = std::exchange(then, nullptr))
      told(std::move(result));
  }
};

} // namespace

void fetch(http_client& by, http_call what, const fetch_limits& limits, std::function<void(fetched)> then) {
  auto state = std::make_shared<fetch_state>();
  state->then = std::move(then);
  http_call_events events;
  events.head = [state](http_answer_head head) {
    state->result.status = head.status;
    state->result.fields = std::move(head.fields);
  };
  events.body = [state, most = limits.bytes](const std::string& bytes) {
    state->result.body += bytes;
    if (state->result.body.size() > most)
      state->give_up("the answer is longer than " + std::to_string(most) + " bytes");
  };
  events.end = [state] { state->tell(); };
  events.failed = [state](std::string why, bool) { state->tell(std::move(why)); };
  what.whole = limits.time;
  state->abort = by.aborter(by.start(std::move(what), std::move(events)));
}

} // namespace troupe::net
