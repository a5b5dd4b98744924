#include "net/client/http_client_group.hpp"

#include "net/client/http_client_call.hpp"

#include <algorithm>

namespace troupe::net {

std::shared_ptr<http_client_shared> http_client_group::on(io_thread& thread) {
  return shared_.with([&](auto& all) {
    auto& place = all[&thread];
    auto one = place.lock();
    if (!one)
      place = one = std::make_shared<http_client_shared>(thread, options_);
    return one;
  });
}

std::shared_ptr<http_client_group> http_client_groups::of(const std::string& whom) {
  return groups_.with([&](auto& known) {
    auto& place = known.all[whom];
    auto one = place.lock();
    if (!one)
      place = one = std::make_shared<http_client_group>(options_);
    known.tidy();
    return one;
  });
}

/// Once as many have come as were left the last time, so that each new one costs the same however many there are.
void http_client_groups::groups::tidy() {
  if (all.size() < tidy_at)
    return;
  std::erase_if(all, [](auto& one) { return one.second.expired(); });
  tidy_at = std::max(most_untidy, 2 * all.size());
}

std::size_t http_client_groups::size() {
  return groups_.with([](auto& known) { return known.all.size(); });
}

} // namespace troupe::net
