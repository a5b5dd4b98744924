#include "protocol/session/gateway_drain.hpp"

#include <utility>

namespace troupe::protocol {

gateway_drain::sessions gateway_drain::begin(bool at_once) {
  auto is_news = !std::exchange(has_begun_, true);
  is_hurried_ = is_hurried_ || at_once;
  if (at_once || !has_other_nodes_)
    return sessions::end;
  return is_news ? sessions::move : sessions::stay;
}

} // namespace troupe::protocol
