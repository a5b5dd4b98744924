#include "protocol/lost_exchange.hpp"

#include "protocol/rejection.hpp"

namespace troupe::protocol {

namespace {

/// Whatever it had done by then stays done, so nobody runs it again.
std::string lost_text(const std::string& id) {
  return error_text(id, error_code::internal_error, "The node that ran the call was lost before it answered");
}

} // namespace

lost_exchange::lost_exchange(const post_body& body) : batch_{body.batch} {
  for (auto& one : body.messages)
    if (one.kind == message_kind::request)
      requests_.push_back(one.id);
}

std::optional<std::string> lost_exchange::json() const {
  if (requests_.empty())
    return std::nullopt;
  if (!batch_)
    return lost_text(requests_.front());
  std::string result;
  for (auto& id : requests_)
    result += (result.empty() ? "[" : ",") + lost_text(id);
  return result + "]";
}

std::optional<std::string> lost_exchange::last_event() const {
  return batch_ || requests_.empty() ? std::nullopt : std::optional{lost_text(requests_.front())};
}

} // namespace troupe::protocol
