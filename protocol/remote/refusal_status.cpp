#include "protocol/remote/refusal_status.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

bool may_hold_error(int status) { return status == 400 || status == 404 || status == 405; }

bool is_about_request(int status) {
  constexpr std::array<int, 6> about_others{401, 403, 407, 408, 425, 429};
  return status >= 400 && status < 500 && std::ranges::find(about_others, status) == about_others.end();
}

bool may_lack_session(int status) {
  constexpr std::array<int, 6> all{400, 404, 405, 406, 415, 422};
  return std::ranges::find(all, status) != all.end();
}

} // namespace troupe::protocol
