#pragma once

#include "protocol/cluster/session_store.hpp"
#include "tests/support/store_driver.hpp"

#include <deque>
#include <string>
#include <utility>

namespace troupe::tests {

/// A node with a tenure of ten seconds, and its unanswered writes.
struct session_store_node {
  void reach_all(time_point now = begun) {
    for (auto by : {store_connection::writes, store_connection::searches, store_connection::tenure})
      it.reached(by, now);
  }
  void hold(time_point now = begun) {
    reach_all(now);
    it.renewed({store_verdict::done}, now);
  }
  lines renewed(store_verdict is, time_point now) { return lines_of(it.renewed({is, "why"}, now)); }
  lines searched(const std::string& session, time_point now = begun) {
    return lines_of(it.searched(session, {}, {}, now));
  }
  lines found(const std::string& session, store_verdict is, time_point now = begun) {
    return lines_of(it.found({session, {is}, {}, "record"}, now));
  }
  lines tick(time_point now) { return lines_of(it.tick(now)); }
  /// The sessions of the writes in progress.
  lines written() {
    lines result;
    while (auto one = it.next_write()) {
      result.push_back(one->session);
      open.push_back(std::move(*one));
    }
    return result;
  }
  lines answered(store_verdict is, time_point now = begun) {
    auto one = std::move(open.front());
    open.pop_front();
    return lines_of(it.written(one.session, one.what, {is, "why"}, now));
  }

  session_store it{10s, store_limits{}};
  std::deque<store_write> open;
};

} // namespace troupe::tests
