#include "protocol/cluster/store_contact.hpp"

#include <utility>

namespace troupe::protocol {

bool store_contact::update(bool own_runs, bool another_runs, time_point now) {
  if (own_runs || !another_runs)
    since_.reset();
  else if (!since_)
    since_ = now;
  auto is_so = since_ && now - *since_ >= patience_;
  return std::exchange(is_cut_off_, is_so) != is_so;
}

} // namespace troupe::protocol
