#include "net/client/call_carrier.hpp"

#include <chrono>
#include <string>

namespace troupe::net {

namespace {

/// Time limit of the last request to a server, which ends the session.
constexpr std::chrono::seconds farewell_limit{2};

} // namespace

bool call_carrier::send(protocol::send_call what) {
  ++attempts_;
  const auto started = client_.start({.method = std::move(what.method),
                                      .url = std::move(what.url),
                                      .fields = std::move(what.fields),
                                      .body = std::move(what.body),
                                      .head_timeout = what.patience,
                                      .silence = what.patience,
                                      .turn = what.turn,
                                      .follows = true},
                                     events_of(what.call));
  running_.insert_or_assign(what.call, attempt{attempts_, started});
  return client_.waits(started);
}

/// Events of the latest attempt to send a call.
http_call_events call_carrier::events_of(protocol::http_call_id call) const {
  auto tell = [tell = tell_, call, attempt = attempts_](auto what) { (*tell)({call, std::move(what), attempt}); };
  return {[tell](http_answer_head head) {
            tell(protocol::call_head{head.status, std::move(head.fields)});
          },
          [tell](std::string bytes) { tell(protocol::call_body{std::move(bytes)}); },
          [tell] { tell(protocol::call_ended{}); },
          [tell](std::string why, bool is_shortage) {
            tell(protocol::call_failed{std::move(why), is_shortage});
          },
          [tell] { tell(protocol::call_begun{}); }};
}

void call_carrier::drop(protocol::http_call_id call) {
  if (const auto dropped = running_.extract(call))
    client_.abort(dropped.mapped().id);
}

void call_carrier::release(const protocol::release_call& which) {
  if (const auto at = running_.find(which.call); at != running_.end())
    which.may_end ? client_.rest(at->second.id) : client_.release(at->second.id);
}

void call_carrier::send_last(protocol::send_last_request what) {
  client_.send_last(
      {.method = std::move(what.method), .url = std::move(what.url), .fields = std::move(what.fields), .follows = true},
      farewell_limit);
}

bool call_carrier::accept(const protocol::call_event& news) {
  const auto found = running_.find(news.call);
  if (found == running_.end() || found->second.number != news.attempt)
    return false;
  if (news.is_last())
    running_.erase(found);
  return true;
}

} // namespace troupe::net
