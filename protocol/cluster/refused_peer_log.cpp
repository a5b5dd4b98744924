#include "protocol/cluster/refused_peer_log.hpp"

namespace troupe::protocol {

std::optional<log_note> refused_peer_log::add(const std::string& address, const std::string& why, bool is_stranger,
                                              time_point now) {
  if (now >= until_) {
    until_ = now + period;
    of_nodes_.clear();
    of_strangers_.clear();
  }
  auto& known = is_stranger ? of_strangers_ : of_nodes_;
  if (known.size() >= most || !known.emplace(address, why).second)
    return std::nullopt;
  auto weight = is_stranger ? log_note::weight::info : log_note::weight::warning;
  return log_note{weight, "a caller at the port for nodes is turned away", {{"address", address}, {"why", why}}};
}

} // namespace troupe::protocol
