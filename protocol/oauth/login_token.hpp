#pragma once

#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/token_calls.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Get a token other than `stale`, which is of no use any more; answered with `token_given` or `token_refused`.
struct want_login {
  std::string stale = {};
  /// Challenge by which the server refused the token; empty when the token is about to expire.
  std::optional<bearer_challenge> told = {};
  friend bool operator==(const want_login&, const want_login&) = default;
};

/// Token of one user at a remote server that may require a login. Requests are sent with the current token, if any, and
/// wait while a login is under way. Refusals are 401, and 403 for lack of a scope. Some servers also answer 403 to an
/// invalid token. To a request without a token, or with one never accepted, they answer 403 or a redirect to a login
/// page. A token that no login replaces stays in use.
class login_token {
public:
  // -- policy of `token_calls`
  using want = want_login;
  static constexpr bool passes_refusals = false;
  static constexpr bool needs_token = false;
  static std::size_t most_kept() { return std::numeric_limits<std::size_t>::max(); }
  /// Names the status that is no 401.
  static std::string why_withheld(const token_call& one, const std::string& why);

  bool may_send(const std::string&, time_point now) const { return !is_wanted_ && now < until_; }
  const std::string& text_of(const std::string&) const { return text_; }
  std::optional<want_login> wanted_by(const token_call&) { return wanted({}); }
  bool is_refused(const token_call& one, int status, const bearer_challenge& told) const;
  bool has_newer(const token_call& one) const { return one.sent_with != text_ && !is_wanted_; }
  std::optional<want_login> refused_to(const token_call& one, const bearer_challenge& told);
  void answered(const token_call& one, int status);
  void put(const std::string&, std::string text, time_point until);
  void not_given(const std::string&) { is_wanted_ = false; }
  const std::string* last(time_point) const { return &text_; }
  bool are_awaited() const { return is_wanted_; }

private:
  std::optional<want_login> wanted(std::optional<bearer_challenge> told);

  std::string text_;
  /// True while the server has neither answered a request with the token nor refused one.
  bool is_untried_ = false;
  time_point until_ = time_point::max();
  bool is_wanted_ = false;
};

/// Stored login at a remote server, so that the user need not log in again. Times are seconds since 1970.
struct kept_login {
  std::string issuer = {};
  std::string token_url = {};
  /// Resource that tokens are requested for.
  std::string resource = {};
  std::string client_id = {};
  /// Empty for a client without a secret, such as programs of users.
  std::string client_secret = {};
  bool secret_in_form = false;
  /// Redirect URL of the last login, where a registered client has to return; empty without one.
  std::string redirect_url = {};
  /// Scopes that the client is registered for.
  std::string client_scope = {};
  /// Scopes of the tokens; empty when unknown.
  std::string scope = {};
  std::string access_token = {};
  /// Empty when there is no refresh token.
  std::string refresh_token = {};
  /// Time when the access token expires; 0 when unknown.
  std::int64_t expires = 0;

  friend bool operator==(const kept_login&, const kept_login&) = default;
};

/// Formats a login as a JSON text of several lines, which people can read.
std::string kept_login_text(const kept_login& login);

/// Parses such a text; nothing when it is no JSON object.
std::optional<kept_login> read_kept_login(std::string_view text);

} // namespace troupe::protocol
