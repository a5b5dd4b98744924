#include "protocol/session/departure.hpp"

#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

bool departure::holds(const post_body& body) const {
  auto waits = [&](const message& one) {
    return is_request(one) ? !one.is_method("ping")
                           : one.is_method("notifications/cancelled") && waiting_.has_request(one.reference);
  };
  return has_let_go_ || std::ranges::any_of(body.messages, waits);
}

void departure::let_wait(waiting_client one, effects& out) {
  auto exchange = one.exchange;
  auto id = first_id(one);
  if (!waiting_.push(std::move(one)))
    out.push_back(
        reject{exchange, unavailable("too much waits for the session to move to another node", std::move(id))});
}

void departure::pass_on_all(effects& out) {
  for (auto& one : waiting_.take())
    if (!one.left)
      out.push_back(pass_on{one.exchange, std::move(one.wants)});
}

void departure::turn_away(effects& out) {
  for (auto& one : waiting_.take())
    if (!one.left)
      out.push_back(reject{one.exchange, session_moves()});
}

} // namespace troupe::protocol
