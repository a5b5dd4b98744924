#pragma once

#include "protocol/message/severity.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/supervised/server_effects.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Users of one server: how many requests each has in flight, and whether it was initialized.
class server_users {
public:
  struct entry {
    /// Number of unanswered requests.
    std::size_t requests = 0;
    /// True if its `initialize` was answered or failed: it must be notified of changes.
    bool greeted = false;
    /// Data of the user's own `initialize`; null when not kept.
    envelope_of_user envelope = {};
  };

  /// Adds a user, unless known.
  void add(user_id user) { all_.try_emplace(user); }
  /// Removes a user; false when unknown.
  bool remove(user_id user) { return all_.erase(user) != 0; }
  void clear() { all_.clear(); }

  /// Counts a request of a known user. Returns how many of its requests are in flight, with this one.
  std::size_t request_came(user_id user) { return ++all_.at(user).requests; }
  /// Counts a request of a user as ended.
  void request_ended(user_id user);
  void set_greeted(user_id user, bool greeted = true) { all_.at(user).greeted = greeted; }

  // -- for a server that receives the user's envelope with each request
  /// Sets whether the server is of that kind.
  void name_each(bool names) { names_each_ = names; }
  bool names_each() const { return names_each_; }
  /// Stores the user's envelope, which may keep up to `bytes` of its calls.
  void set_envelope(user_id user, const message& initialize, std::size_t bytes);
  /// Sets the log level that the user's later requests ask for.
  void set_level(user_id user, std::optional<severity> level);
  /// Returns the user's envelope; null unless `names_each()`.
  envelope_of_user envelope_of(user_id user) const;

  /// Ends a request with this answer.
  void answer(user_id user, message&& what, server_effects& out);
  /// Ends a request with an internal error; `how` is the outcome to count.
  void fail(user_id user, std::string_view id, std::string_view why, server_effects& out,
            call_outcome how = failed_with(error_code::internal_error));
  /// Sends to all users that were initialized.
  void tell_greeted(const message& what, server_effects& out) const;

  bool contains(user_id user) const { return all_.contains(user); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  const std::map<user_id, entry>& all() const { return all_; }

private:
  std::map<user_id, entry> all_;
  bool names_each_ = false;
};

} // namespace troupe::protocol
