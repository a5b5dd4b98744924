#include "protocol/cluster/member_news.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

void member_news::end() {
  waiting_.clear();
  remind_at_ = time_point::max();
}

std::vector<std::string> member_news::due(time_point now) {
  if (waiting_.empty() || now < announced_ + pause)
    return {};
  announced_ = now;
  return std::exchange(waiting_, {});
}

bool member_news::reminds(time_point now) {
  if (now < remind_at_)
    return false;
  remind_at_ = now + reminder;
  return true;
}

time_point member_news::deadline() const {
  return std::min(remind_at_, waiting_.empty() ? time_point::max() : time_point{announced_ + pause});
}

} // namespace troupe::protocol
