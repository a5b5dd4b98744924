#pragma once

#include "protocol/first_deadline.hpp"
#include "protocol/time.hpp"
#include "protocol/user_id.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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

  /// Whether a user waits for the answer, or has to give it.
  bool has_user() const { return is != purpose::ours && is != purpose::initialize; }
};

/// Requests under way in one direction, each under an id of ours. Ours count up and are never used again.
class relayed_calls {
public:
  relayed_calls() = default;
  // No copies: the keys of one index are parts of the other.
  relayed_calls(relayed_calls&&) = default;
  relayed_calls& operator=(relayed_calls&&) = default;

  using numbered = std::vector<std::pair<std::uint64_t, relayed_call>>;

  std::uint64_t add(relayed_call one);
  const relayed_call* find(std::uint64_t own) const;
  /// Our id for a user's request.
  std::optional<std::uint64_t> own_id_of(user_id user, std::string_view id) const;
  /// Our id for the latest request of that id, whoever it belongs to.
  std::optional<std::uint64_t> own_id_of(std::string_view id) const;
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
  /// The first deadline, or now and then an earlier time: see `first_deadline`.
  time_point deadline() const { return first_.of(by_own_id_, deadline_of); }

private:
  /// One that belongs to a user, by its user, then by the asker's id, then by ours.
  struct place {
    user_id user = 0;
    std::string_view id;
    std::uint64_t own = 0;
    friend bool operator<(const place& a, const place& b) {
      return std::tie(a.user, a.id, a.own) < std::tie(b.user, b.id, b.own);
    }
  };

  static time_point deadline_of(const std::pair<const std::uint64_t, relayed_call>& one) { return one.second.deadline; }

  std::uint64_t last_ = 0;
  std::map<std::uint64_t, relayed_call> by_own_id_;
  /// By the ids in `by_own_id_`.
  std::set<place> by_user_;
  /// A memory of what was looked for.
  mutable first_deadline first_;
};

} // namespace troupe::protocol
