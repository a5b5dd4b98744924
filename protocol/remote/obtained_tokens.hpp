#pragma once

#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/token_calls.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Get a token other than `stale`, which the server has refused; answered with `token_given` or `token_refused`.
struct want_token {
  /// Key of the requests that share the token.
  std::string whose = {};
  /// A caller that sends such requests; null when they belong to no caller in particular.
  std::shared_ptr<const principal> requester = {};
  std::string stale = {};
  friend bool operator==(const want_token&, const want_token&) = default;
};

/// Tokens that a gateway gets for its callers at a remote server. Each request needs one, which is used until it
/// expires or is refused. When no other token is given, the server's refusal stands.
class obtained_tokens {
public:
  /// Number of tokens kept; further tokens replace the first to expire.
  static constexpr std::size_t most_tokens = 8;

  // -- policy of `token_calls`
  using want = want_token;
  static constexpr bool passes_refusals = true;
  static constexpr bool needs_token = true;
  static std::size_t most_kept() { return remote_options{}.held; }
  static const std::string& why_withheld(const token_call&, const std::string& why) { return why; }

  bool may_send(const std::string& whose, time_point now) { return token_of(whose).is_good(now); }
  const std::string& text_of(const std::string& whose) { return token_of(whose).text; }
  std::optional<want_token> wanted_by(const token_call& one) { return wanted(one, {}); }
  bool is_refused(const token_call&, int status, const bearer_challenge& told) const {
    return is_token_refused(status, told);
  }
  bool has_newer(const token_call& one);
  std::optional<want_token> refused_to(const token_call& one, const bearer_challenge& told);
  void answered(const token_call&, int) {}
  void put(const std::string& whose, std::string text, time_point until) { token_of(whose) = {std::move(text), until}; }
  void not_given(const std::string& whose) { token_of(whose).is_wanted = false; }
  /// Returns a token that is valid, whoever it belongs to; null when there is none.
  const std::string* last(time_point now) const;
  bool are_awaited() const;

private:
  struct token {
    std::string text = {};
    time_point until = time_point::min();
    bool is_wanted = false;

    bool is_good(time_point now) const { return !text.empty() && now < until; }
  };

  token& token_of(const std::string& whose);
  std::optional<want_token> wanted(const token_call& by, std::string stale);

  std::map<std::string, token> tokens_;
};

} // namespace troupe::protocol
