#include "net/client/http_client_group.hpp"

#include "net/client/http_client_call.hpp"

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
  return groups_.with([&](auto& all) {
    auto& place = all[whom];
    auto one = place.lock();
    if (!one)
      place = one = std::make_shared<http_client_group>(options_);
    std::erase_if(all, [](auto& other) { return other.second.expired(); });
    return one;
  });
}

} // namespace troupe::net
