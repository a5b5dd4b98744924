#include "net/server/admission.hpp"

#include <utility>

namespace troupe::net {

std::optional<connections_by_address::share> connections_by_address::add(const std::string& from) {
  auto key = key_(from);
  if (key.empty())
    return share{};
  std::lock_guard lock{mutex_};
  if (counts_.of(key) == most_)
    return std::nullopt;
  counts_.add(key);
  return share{static_cast<void*>(this),
               [self = shared_from_this(), key = std::move(key)](void*) { self->remove(key); }};
}

std::size_t connections_by_address::size() const {
  std::lock_guard lock{mutex_};
  return counts_.all().size();
}

void connections_by_address::remove(const std::string& key) {
  std::lock_guard lock{mutex_};
  counts_.remove(key);
}

} // namespace troupe::net
