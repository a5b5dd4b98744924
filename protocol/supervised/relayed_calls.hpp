#pragma once

#include "protocol/message/request_table.hpp"
#include "protocol/time.hpp"
#include "protocol/user_id.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// A request to a server that many may use.
struct relayed_call {
  /// What its answer means.
  enum class kind {
    relay,
    tools_list,
    subscription,
    log_level,
    /// Of the gateway itself; no user waits for the answer.
    ours,
    /// The server is ready when it has answered; no user waits for the answer.
    initialize
  };
  kind is = kind::relay;
  /// When it is about a subscription: it begins it, and does not end it.
  bool subscribes = false;
  /// Who asked, if a user did.
  user_id user = 0;
  /// The asker's id, a JSON token.
  std::string id = {};
  /// The asker's progress token; empty when it wants no progress.
  std::string token = {};
  /// What a subscription is to.
  std::string uri = {};
  /// When it has failed, unless progress is made; never later than `cap`.
  time_point deadline = {};
  time_point cap = {};

  /// Whether a user waits for the answer.
  bool has_user() const { return is != kind::ours && is != kind::initialize; }
  std::optional<user_id> asker() const { return has_user() ? std::optional{user} : std::nullopt; }
};

/// Requests of users and of the gateway that a server has not answered.
class relayed_calls {
public:
  using table = request_table<relayed_call>;
  using numbered = table::numbered;

  std::uint64_t add(relayed_call one) { return all_.add(std::move(one)); }
  const relayed_call* find(std::uint64_t own) const { return all_.find(own); }
  /// Our id for a user's request.
  std::optional<std::uint64_t> own_id_of(user_id user, std::string_view id) const { return all_.own_id_of(user, id); }
  /// Our ids for all of a user's.
  std::set<std::uint64_t> of(user_id user) const { return all_.of(user); }
  /// Progress was made under a token of ours, see `request_table::progressed`.
  const relayed_call* progressed(std::string_view own_token, time_point deadline) {
    return all_.progressed(own_token, deadline);
  }
  /// It goes on as one of the gateway's own.
  void disown(std::uint64_t own) {
    all_.change(own, [](relayed_call& one) {
      one.is = relayed_call::kind::ours;
      one.token.clear();
    });
  }

  std::optional<relayed_call> take(std::uint64_t own) { return all_.take(own); }
  numbered take_late(time_point now) { return all_.take_late(now); }
  numbered take_all() { return all_.take_all(); }

  /// The one user who waits for answers; nothing when several do, or none.
  std::optional<user_id> only_user() const { return all_.only_asker(); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  time_point deadline() const { return all_.deadline(); }

private:
  table all_;
};

} // namespace troupe::protocol
