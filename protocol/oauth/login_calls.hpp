#pragma once

#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/call_credentials.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// What `login_calls` decides, besides to send and to drop requests, and to give or withhold their news.

/// Get a token, and not this one, which is of no use; answered with `given` or `refused`.
struct want_login {
  std::string stale = {};
  /// What the server has said when it refused that; nothing when it is about to end.
  std::optional<bearer_challenge> told = {};
  friend bool operator==(const want_login&, const want_login&) = default;
};

using login_call_effect = std::variant<send_call, drop_call, want_login, withhold_call, take_head>;
using login_call_effects = std::vector<login_call_effect>;

/// The requests of one user to a remote server that may want him to log in. They are sent with the token that there is,
/// or without any: one that is refused for that is sent once more when there is another; meanwhile further ones wait. A
/// refusal is 401, 403 for want of a scope, and what some servers say in its place: 403 for a token that is no good,
/// and to a request without one, or with one that they have never accepted, 403 or a redirect to a page where people
/// log in. Facts in, effects out.
class login_calls {
public:
  // -- what the machine decides
  login_call_effects send(send_call what, time_point now);
  /// Nothing more is told of it.
  void drop(http_call_id call) { requests_.erase(call); }

  // -- facts
  login_call_effects head(http_call_id call, int status, http_fields fields);
  /// `until` is when it is to be replaced.
  login_call_effects given(std::string token, time_point until);
  login_call_effects refused(const std::string& why);

  /// Whether a request awaits its answer.
  bool knows(http_call_id call) const { return requests_.contains(call); }
  bool waits(http_call_id call) const;
  /// For a last request; nothing when there is no token.
  std::optional<std::pair<std::string, std::string>> field() const;

private:
  /// A request until its answer has a head.
  struct request {
    send_call what;
    std::string sent_with = {};
    bool waits = false;
    /// By which status; 0 when it was not.
    int refused_by = 0;
  };

  bool is_refusal(const request& one, int status, const bearer_challenge& told) const;
  send_call stamped(request& one) const;
  void want(std::optional<bearer_challenge> told, login_call_effects& out);

  std::string token_;
  /// The server has neither answered a request with it nor refused one.
  bool is_untried_ = false;
  time_point until_ = time_point::max();
  bool is_wanted_ = false;
  std::map<http_call_id, request> requests_;
};

} // namespace troupe::protocol
