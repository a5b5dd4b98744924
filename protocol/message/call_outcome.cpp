#include "protocol/message/call_outcome.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

using ending = call_outcome::kind;

constexpr std::pair<int, std::string_view> known_codes[] = {
    {-32700, "-32700"}, {-32600, "-32600"}, {-32601, "-32601"}, {-32602, "-32602"}, {-32603, "-32603"},
    {-32000, "-32000"}, {-32001, "-32001"}, {-32002, "-32002"}, {-32020, "-32020"}, {-32021, "-32021"},
    {-32022, "-32022"}, {-32042, "-32042"}, {-32800, "-32800"}};

} // namespace

std::string call_outcome::failure_text() const {
  return is == ending::error ? std::to_string(code) : std::string{failure_label()};
}

std::string_view call_outcome::failure_label() const {
  switch (is) {
  case ending::tool_error:
    return "tool_error";
  case ending::cancelled:
    return "cancelled";
  case ending::lost:
    return "server_lost";
  default:
    break;
  }
  auto known = std::ranges::find(known_codes, code, &std::pair<int, std::string_view>::first);
  return known != std::end(known_codes) ? known->second : "_OTHER";
}

} // namespace troupe::protocol
