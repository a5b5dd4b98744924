#pragma once

#include "protocol/server_effects.hpp"
#include "protocol/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A request between one of many users and their server, in either direction.
struct relayed_call {
  /// What its answer means.
  enum class purpose {
    relay,
    tools_list,
    subscription,
    log_level,
    /// Nobody waits for the answer but we.
    ours,
    /// The answer begins the server; belongs to nobody.
    initialize
  };
  purpose is = purpose::relay;
  /// Who asked, or was asked; meaningless when it belongs to nobody.
  user_id user = 0;
  /// The asker's id, a JSON token.
  std::string id = {};
  /// The asker's progress token; empty when it wants no progress.
  std::string token = {};
  /// What a subscription is to.
  std::string uri = {};
  bool subscribes = false;
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};
};

/// Requests under way in one direction, each under an id of ours. Ours count up and are never used again.
class relayed_calls {
public:
  using numbered = std::vector<std::pair<std::uint64_t, relayed_call>>;

  std::uint64_t add(relayed_call one);
  const relayed_call* find(std::uint64_t own) const;
  /// Our id for a user's request.
  std::optional<std::uint64_t> own_id_of(user_id user, const std::string& id) const;
  /// Our id for the latest request of that id, whoever it belongs to.
  std::optional<std::uint64_t> own_id_of(const std::string& id) const;
  /// Our ids for all of a user's.
  std::set<std::uint64_t> of(user_id user) const;
  /// The deadline is another, but not later than the cap.
  void postpone(std::uint64_t own, time_point deadline);
  /// It goes on, but belongs to its user no more.
  void disown(std::uint64_t own);

  std::optional<relayed_call> take(std::uint64_t own);
  numbered take_late(time_point now);
  numbered take_all() { return take_late(time_point::max()); }

  /// The user to whom all of those belong that belong to somebody; nothing when those are several, or none.
  std::optional<user_id> only_user() const;
  std::size_t size() const { return by_own_id_.size(); }
  bool empty() const { return by_own_id_.empty(); }
  /// The first deadline.
  time_point deadline() const { return deadlines_.empty() ? time_point::max() : deadlines_.begin()->first; }

private:
  static bool belongs(const relayed_call& one);
  void unlist(std::uint64_t own, const relayed_call& one);

  std::uint64_t last_ = 0;
  std::map<std::uint64_t, relayed_call> by_own_id_;
  /// Those that belong to a user, by our id.
  std::map<user_id, std::set<std::uint64_t>> by_user_;
  std::map<std::pair<user_id, std::string>, std::uint64_t> by_asker_;
  std::set<std::pair<time_point, std::uint64_t>> deadlines_;
};

} // namespace troupe::protocol
