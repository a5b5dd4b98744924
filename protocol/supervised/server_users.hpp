#pragma once

#include "protocol/message/severity.hpp"
#include "protocol/modern_server/client_envelope.hpp"
#include "protocol/supervised/server_effects.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

namespace troupe::protocol {

/// The users of one server: how many requests each has under way, and which of them know the server.
class server_users {
public:
  struct entry {
    /// Requests that have no answer yet.
    std::size_t requests = 0;
    /// Its `initialize` was answered, or failed: it has to know of what changes.
    bool greeted = false;
    /// What it has said of itself; null when that is not kept.
    envelope_of_user envelope = {};
  };

  /// A user is known from now on, if it was not before.
  void add(user_id user) { all_.try_emplace(user); }
  /// False when it was not known.
  bool remove(user_id user) { return all_.erase(user) != 0; }
  void clear() { all_.clear(); }

  /// A request came from a known user. Gives how many of the user are under way with it.
  std::size_t request_came(user_id user) { return ++all_.at(user).requests; }
  /// A request of a user has ended.
  void request_ended(user_id user);
  void set_greeted(user_id user, bool greeted = true) { all_.at(user).greeted = greeted; }

  // -- of a server that hears with each request whose it is
  /// Whether it is such a one.
  void name_each(bool names) { names_each_ = names; }
  bool names_each() const { return names_each_; }
  /// `bytes` may be kept of its calls.
  void set_envelope(user_id user, const message& initialize, std::size_t bytes);
  /// The log level that the user's later requests ask for.
  void set_level(user_id user, std::optional<severity> level);
  /// Null unless the server is one that is told.
  envelope_of_user envelope_of(user_id user) const;

  /// Ends a request with what it is answered.
  void answer(user_id user, message&& what, server_effects& out);
  /// Ends a request with an internal error; `how` is what it counts as.
  void fail(user_id user, std::string_view id, std::string_view why, server_effects& out,
            call_outcome how = failed_with(error_code::internal_error));
  /// Tells all who were greeted.
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
