#include "protocol/remote/answered_request.hpp"

#include "protocol/message/message.hpp"
#include "protocol/message/splice.hpp"

#include <utility>

namespace troupe::protocol {

bool answers(const message& response, const std::string& id) {
  return names_request(response.id, id) || (response.id.empty() && !has_result(response));
}

message under_id(message response, const std::string& id) {
  if (response.id.empty())
    return own_message(with_member(response.text, "id", id));
  return relayed(std::move(response), id, {});
}

} // namespace troupe::protocol
