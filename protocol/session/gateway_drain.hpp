#pragma once

namespace troupe::protocol {

/// How a gateway stops. Where there are other nodes, they serve its sessions with it until the end of the grace, and
/// take the new ones; where there are none, its sessions end as soon as their calls have.
class gateway_drain {
public:
  /// What becomes of the sessions that there are.
  enum class sessions { stay, move_listeners, end };

  /// The gateway is told to stop, perhaps not for the first time. `at_once` ends the grace.
  sessions begin(bool at_once, bool has_other_nodes) {
    auto is_news = !has_begun_;
    has_begun_ = true;
    is_hurried_ = is_hurried_ || at_once;
    if (at_once || !has_other_nodes)
      return sessions::end;
    return is_news ? sessions::move_listeners : sessions::stay;
  }
  bool has_begun() const { return has_begun_; }
  /// Whether the grace is over.
  bool is_hurried() const { return is_hurried_; }

private:
  bool has_begun_ = false;
  bool is_hurried_ = false;
};

} // namespace troupe::protocol
