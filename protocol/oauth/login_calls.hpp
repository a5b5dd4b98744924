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

// Effects of `login_calls`, besides sending and dropping requests, and passing on or withholding their answers.

/// Get a token other than `stale`, which is of no use any more; answered with `given` or `refused`.
struct want_login {
  std::string stale = {};
  /// Challenge by which the server refused the token; empty when the token is about to expire.
  std::optional<bearer_challenge> told = {};
  friend bool operator==(const want_login&, const want_login&) = default;
};

using login_call_effect = std::variant<send_call, drop_call, want_login, withhold_call, take_head>;
using login_call_effects = std::vector<login_call_effect>;

/// Requests of one user to a remote server that may require a login. They are sent with the current token, if any. A
/// refused request is sent once more when there is another token; meanwhile further ones wait. Refusals are 401, and
/// 403 for lack of a scope. Some servers also answer 403 to an invalid token. To a request without a token, or with one
/// never accepted, they answer 403 or a redirect to a login page. Facts in, effects out.
class login_calls {
public:
  // -- orders of the machine
  login_call_effects send(send_call what, time_point now);
  /// Forgets a request, on which nothing more is reported.
  void drop(http_call_id call) { requests_.erase(call); }

  // -- facts
  login_call_effects head(http_call_id call, int status, http_fields fields);
  /// `until` is the time to replace the token.
  login_call_effects given(std::string token, time_point until);
  login_call_effects refused(const std::string& why);

  /// True if a request awaits its answer.
  bool knows(http_call_id call) const { return requests_.contains(call); }
  bool waits(http_call_id call) const;
  /// Header field for a last request; nothing when there is no token.
  std::optional<std::pair<std::string, std::string>> field() const;

private:
  /// Request without the head of its answer.
  struct request {
    send_call what;
    std::string sent_with = {};
    bool waits = false;
    /// Status of the refusal; 0 when there was none.
    int refused_by = 0;
  };

  bool is_refusal(const request& one, int status, const bearer_challenge& told) const;
  send_call stamped(request& one) const;
  void want(std::optional<bearer_challenge> told, login_call_effects& out);

  std::string token_;
  /// True while the server has neither answered a request with the token nor refused one.
  bool is_untried_ = false;
  time_point until_ = time_point::max();
  bool is_wanted_ = false;
  std::map<http_call_id, request> requests_;
};

} // namespace troupe::protocol
