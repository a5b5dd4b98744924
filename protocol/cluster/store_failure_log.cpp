#include "protocol/cluster/store_failure_log.hpp"

#include "protocol/ids.hpp"

#include <utility>

namespace troupe::protocol {

std::optional<log_note> store_failure_log::not_kept(const std::string& why) {
  if (std::exchange(is_troubled_, true))
    return std::nullopt;
  return log_note{log_note::weight::warning, "the store did not keep what it was told", {{"why", why}}};
}

std::optional<log_note> store_failure_log::foreign(const std::string& session) {
  if (foreign_.size() >= most_foreign)
    foreign_.clear();
  if (!foreign_.insert(session).second)
    return std::nullopt;
  return log_note{
      log_note::weight::warning, "another node owns the session: nothing is kept of it", {{"session", shown(session)}}};
}

} // namespace troupe::protocol
