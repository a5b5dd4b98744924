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

// What `call_credentials` decides, besides to send and to drop requests.

/// Get a token, and not this one, which the server has refused; answered with `token_given` or `token_refused`.
struct want_token {
  /// For whose requests it is.
  std::string whose = {};
  /// One who sends them; null for nobody in particular.
  std::shared_ptr<const principal> asker = {};
  std::string stale = {};
  friend bool operator==(const want_token&, const want_token&) = default;
};
/// The request is not sent: there is no token for it.
struct withhold_call {
  http_call_id call = 0;
  std::string why;
  friend bool operator==(const withhold_call&, const withhold_call&) = default;
};
/// What the server has answered counts.
struct take_head {
  http_call_id call = 0;
  int status = 0;
  http_fields fields;
  friend bool operator==(const take_head&, const take_head&) = default;
};

using credential_effect = std::variant<send_call, drop_call, want_token, withhold_call, take_head>;
using credential_effects = std::vector<credential_effect>;

/// The tokens that the requests of one user to a remote server are sent with, those of `whose` with the same one:
/// requests wait until there is one, and one that the server refuses for its token is sent once more with another (RFC
/// 6750, 3.1). Stands between the server's machine, which does not know of it, and what sends its requests. Facts in,
/// effects out.
///
/// A request that is sent again has another number on its way, so that what is still told of the first time is no news
/// of the second.
///
/// What waits and what may have to be sent again is kept, within a bound: what finds no room is withheld if it would
/// have to wait, and is otherwise sent once only. One alone always finds room.
class call_credentials {
public:
  /// Tokens that are kept; further ones replace those that end first.
  static constexpr std::size_t most_tokens = 8;

  /// `most_kept` is the bytes of requests that are kept.
  explicit call_credentials(std::size_t most_kept = remote_options{}.held) : most_kept_{most_kept} {}

  // -- what the machine decides
  credential_effects send(send_call what, std::string whose, time_point now);
  /// Nothing more is told of it.
  void drop(http_call_id call);

  // -- facts
  credential_effects head(http_call_id call, int status, http_fields fields);
  /// `until` is when another is to be asked for.
  credential_effects token_given(const std::string& whose, std::string text, time_point until);
  credential_effects token_refused(const std::string& whose, const std::string& why);

  /// Whose news that is, by the number on its way; nothing when it is old.
  std::optional<http_call_id> told_of(http_call_id on_its_way) const;
  /// Whether a request awaits its answer.
  bool knows(http_call_id call) const { return requests_.contains(call); }
  /// Whether a request waits for a token.
  bool waits(http_call_id call) const;
  /// For a last request; nothing when there is no token that is good.
  std::optional<std::pair<std::string, std::string>> field(time_point now) const;
  /// The bytes of the requests that are kept.
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

  /// A request until its answer has a head.
  struct request {
    std::shared_ptr<const principal> asker = {};
    std::string whose = {};
    /// What is sent again; that of a request that is not kept is of no use.
    send_call what = {};
    /// What is kept of it, in bytes; zero when it is not.
    std::size_t bytes = 0;
    /// The token that it was sent with; empty before.
    std::string sent_with = {};
    bool waits = false;
    /// What it was answered the first time, when its token was refused.
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
  /// Those that were sent again.
  std::set<http_call_id> again_;
};

} // namespace troupe::protocol
