#include "protocol/session/restoration.hpp"

#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe::protocol {

void restoration::let_wait(waiting_client one, effects& out) {
  auto exchange = one.exchange;
  auto id = first_id(one);
  if (!waiting_.push(std::move(one)))
    out.push_back(reject{exchange, unavailable("too much waits for the session to be restored", std::move(id))});
}

void restoration::turn_away(const std::optional<std::string>& for_now, effects& out) {
  for (auto& one : waiting_.take())
    if (!one.left)
      out.push_back(reject{one.exchange, for_now ? unavailable(*for_now, first_id(one)) : session_not_found()});
}

void drop_answers(effects& all, std::size_t first, exchange_id to) {
  auto answers = [&](auto& one) {
    if constexpr (requires { one.exchange; })
      return one.exchange == to;
    else
      return false;
  };
  auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  all.erase(std::remove_if(begin, all.end(), [&](auto& one) { return std::visit(answers, one); }), all.end());
}

} // namespace troupe::protocol
