#pragma once

#include "protocol/remote/remote_effects.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Decisions of `call_credentials`, besides sending and dropping requests.

/// Get a token other than `stale`, which the server has refused; answered with `token_given` or `token_refused`.
struct want_token {
  /// Key of the requests that share the token.
  std::string whose = {};
  /// A caller that sends such requests; null when they belong to no caller in particular.
  std::shared_ptr<const principal> requester = {};
  std::string stale = {};
  friend bool operator==(const want_token&, const want_token&) = default;
};
/// Report the request as not sent: there is no token for it.
struct withhold_call {
  http_call_id call = 0;
  std::string why;
  friend bool operator==(const withhold_call&, const withhold_call&) = default;
};
/// Process the server's response head.
struct take_head {
  http_call_id call = 0;
  int status = 0;
  http_fields fields;
  friend bool operator==(const take_head&, const take_head&) = default;
};

using credential_effect = std::variant<send_call, drop_call, want_token, withhold_call, take_head>;
using credential_effects = std::vector<credential_effect>;

/// Bearer tokens of one user's requests to a remote server; requests with the same `whose` share a token. A request
/// waits until there is a token. If the server refuses the token, the request is sent once more with another (RFC 6750,
/// 3.1). Sits between the server's state machine, which handles no tokens, and the HTTP client.
///
/// A request that is sent again has another on-the-wire number, so that late events of the first attempt are not taken
/// for the second.
///
/// Keeps requests that wait or may have to be sent again, up to a limit of bytes. Beyond the limit, a request that
/// would have to wait is withheld, and any other is sent only once. A single request always fits.
class call_credentials {
public:
  /// Number of tokens kept; further tokens replace the first to expire.
  static constexpr std::size_t most_tokens = 8;

  /// `most_kept` is the limit of kept requests, in bytes.
  explicit call_credentials(std::size_t most_kept = remote_options{}.held) : most_kept_{most_kept} {}

  // -- decisions of the state machine
  credential_effects send(send_call what, std::string whose, time_point now);
  /// Forgets a request: no more events are reported for it.
  void drop(http_call_id call);

  // -- facts
  credential_effects head(http_call_id call, int status, http_fields fields);
  /// `until` is the time at which to request another token.
  credential_effects token_given(const std::string& whose, std::string text, time_point until);
  credential_effects token_refused(const std::string& whose, const std::string& why);

  /// Maps the on-the-wire number to the call; empty if that attempt was superseded.
  std::optional<http_call_id> told_of(http_call_id on_its_way) const;
  /// Whether a request awaits its response head.
  bool knows(http_call_id call) const { return requests_.contains(call); }
  /// Whether a request waits for a token.
  bool waits(http_call_id call) const;
  /// Returns the `Authorization` field for a last request; empty when no valid token exists.
  std::optional<std::pair<std::string, std::string>> field(time_point now) const;
  /// Size of the kept requests, in bytes.
  std::size_t kept() const { return kept_; }
  /// Whether an answer to `want_token` is due.
  bool awaits_token() const;

private:
  struct token {
    std::string text = {};
    time_point until = time_point::min();
    bool is_wanted = false;

    bool is_good(time_point now) const { return !text.empty() && now < until; }
  };
  using tokens = std::map<std::string, token>;

  /// Request whose response head has not arrived.
  struct request {
    std::shared_ptr<const principal> requester = {};
    std::string whose = {};
    /// Request to send again; unspecified if it is not kept.
    send_call what = {};
    /// Size of the kept request in bytes; zero when it is not kept.
    std::size_t bytes = 0;
    /// Token that the request was sent with; empty before.
    std::string sent_with = {};
    bool waits = false;
    /// Response head of the first attempt, when its token was refused.
    std::optional<take_head> refusal = {};
  };
  using requests = std::map<http_call_id, request>;

  send_call stamped(send_call what, request& one);
  send_call kept_stamped(request& one);
  void keep(send_call what, request& one);
  void let_go(request& one);
  requests::iterator forget(requests::iterator at);
  token& token_of(const std::string& whose);
  bool replace(const request& one, credential_effects& out);
  void want(const request& one, std::string stale, credential_effects& out);

  tokens tokens_;
  requests requests_;
  std::size_t most_kept_;
  std::size_t kept_ = 0;
  /// Requests that were sent again.
  std::set<http_call_id> again_;
};

} // namespace troupe::protocol
