#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/remote/bearer_challenge.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Decisions of `token_calls`, besides sending and dropping requests, and wanting a token.

/// Report the request as not sent: there is no token for it.
struct withhold_call {
  http_call_id call = 0;
  std::string why;
  friend bool operator==(const withhold_call&, const withhold_call&) = default;
};
/// Process the server's response head.
struct deliver_head {
  http_call_id call = 0;
  int status = 0;
  http_fields fields;
  friend bool operator==(const deliver_head&, const deliver_head&) = default;
};

/// Request whose response head has not arrived.
struct token_call {
  std::shared_ptr<const principal> requester = {};
  std::string whose = {};
  /// Request to send again; unspecified if it is not kept.
  send_call what = {};
  /// Bytes of the kept request; empty when it is not kept.
  std::optional<byte_budget::share> bytes = {};
  /// Token that the request was sent with; empty before.
  std::string sent_with = {};
  bool waits = false;
  /// Response head of the first attempt, when its token was refused.
  std::optional<deliver_head> refusal = {};
};

/// Requests to a remote server that need bearer tokens; requests with the same `whose` share a token. A request waits
/// until there is a token. If the server refuses the token, the request is sent once more with another (RFC 6750,
/// 3.1). Sits between the server's state machine, which handles no tokens, and the HTTP client.
///
/// Keeps requests that wait or may have to be sent again, up to a limit of bytes. Beyond the limit, a request that
/// would have to wait is withheld, and any other is sent only once. A single request always fits.
///
/// `Tokens` has the tokens, and the policy: which of them may be used, which answers refuse one, what is wanted then.
template <class Tokens>
class token_calls {
public:
  using effect = std::variant<send_call, drop_call, typename Tokens::want, withhold_call, deliver_head>;
  using effects = std::vector<effect>;

  /// `most_kept` is the limit of kept requests, in bytes.
  explicit token_calls(std::size_t most_kept = Tokens::most_kept()) : kept_{most_kept} {}

  // -- decisions of the state machine
  effects send(send_call what, std::string whose, time_point now);
  /// Forgets a request: no more events are reported for it.
  void drop(http_call_id call) { requests_.erase(call); }

  // -- facts
  effects head(http_call_id call, int status, http_fields fields);
  /// `until` is the time at which to request another token.
  effects token_given(const std::string& whose, std::string text, time_point until);
  effects token_refused(const std::string& whose, const std::string& why);

  /// Whether a request awaits its response head.
  bool knows(http_call_id call) const { return requests_.contains(call); }
  /// Whether a request waits for a token.
  bool waits(http_call_id call) const {
    auto found = requests_.find(call);
    return found != requests_.end() && found->second.waits;
  }
  /// Returns the `Authorization` field for a last request; empty when no valid token exists.
  std::optional<std::pair<std::string, std::string>> field(time_point now) const;
  /// Size of the kept requests, in bytes.
  std::size_t kept() const { return kept_.taken(); }
  /// Whether an answer to `Tokens::want` is due.
  bool awaits_token() const { return tokens_.are_awaited(); }

private:
  using requests = std::map<http_call_id, token_call>;

  static std::pair<std::string, std::string> field_of(const std::string& token) {
    return {"Authorization", "Bearer " + token};
  }
  static std::size_t bytes_of(const send_call& what) {
    auto result = what.method.size() + what.url.size() + what.body.size();
    for (auto& [name, value] : what.fields)
      result += name.size() + value.size();
    return result;
  }
  static void add(std::optional<typename Tokens::want> wanted, effects& to) {
    if (wanted)
      to.push_back(std::move(*wanted));
  }

  send_call stamped(send_call what, token_call& one);
  send_call kept_stamped(token_call& one);

  Tokens tokens_;
  byte_budget kept_;
  requests requests_;
};

template <class Tokens>
auto token_calls<Tokens>::send(send_call what, std::string whose, time_point now) -> effects {
  effects out;
  const auto call = what.call;
  const auto bytes = bytes_of(what);
  const auto fits = kept_.taken() == 0 || bytes <= kept_.left();
  const auto has_token = tokens_.may_send(whose, now);
  if (!fits && !has_token) {
    out.push_back(withhold_call{call, "too much waits for one"});
    return out;
  }
  auto& one = requests_[call];
  one.requester = std::move(what.requester);
  one.whose = std::move(whose);
  if (!fits) {
    out.push_back(stamped(std::move(what), one));
    return out;
  }
  one.bytes.emplace(kept_, bytes);
  one.what = std::move(what);
  one.waits = !has_token;
  if (one.waits)
    add(tokens_.wanted_by(one), out);
  else
    out.push_back(kept_stamped(one));
  return out;
}

template <class Tokens>
send_call token_calls<Tokens>::stamped(send_call what, token_call& one) {
  one.waits = false;
  one.sent_with = tokens_.text_of(one.whose);
  if (!one.sent_with.empty())
    what.fields.push_back(field_of(one.sent_with));
  return what;
}

/// Keeps the request after its first attempt only, since it is sent again only once.
template <class Tokens>
send_call token_calls<Tokens>::kept_stamped(token_call& one) {
  if (!one.refusal)
    return stamped(one.what, one);
  one.bytes.reset();
  return stamped(std::move(one.what), one);
}

/// Replaces a token once for all requests that carried it. The answer to a request that is not kept stands, and the
/// next request gets another token.
template <class Tokens>
auto token_calls<Tokens>::head(http_call_id call, int status, http_fields fields) -> effects {
  effects out;
  auto found = requests_.find(call);
  const auto told = challenge_of(fields);
  const auto is_refused =
      found != requests_.end() && !found->second.refusal && tokens_.is_refused(found->second, status, told);
  if (is_refused && found->second.bytes) {
    auto& one = found->second;
    one.refusal = deliver_head{call, status, std::move(fields)};
    out.push_back(drop_call{call});
    one.waits = !tokens_.has_newer(one);
    if (one.waits)
      add(tokens_.refused_to(one, told), out);
    else
      out.push_back(kept_stamped(one));
    return out;
  }
  if (is_refused && !tokens_.has_newer(found->second))
    add(tokens_.refused_to(found->second, told), out);
  if (found != requests_.end()) {
    tokens_.answered(found->second, status);
    requests_.erase(found);
  }
  out.push_back(deliver_head{call, status, std::move(fields)});
  return out;
}

template <class Tokens>
auto token_calls<Tokens>::token_given(const std::string& whose, std::string text, time_point until) -> effects {
  effects out;
  tokens_.put(whose, std::move(text), until);
  for (auto& [call, one] : requests_)
    if (one.waits && one.whose == whose)
      out.push_back(kept_stamped(one));
  return out;
}

template <class Tokens>
auto token_calls<Tokens>::token_refused(const std::string& whose, const std::string& why) -> effects {
  effects out;
  tokens_.not_given(whose);
  for (auto at = requests_.begin(); at != requests_.end();) {
    auto& one = at->second;
    if (!one.waits || one.whose != whose) {
      ++at;
      continue;
    }
    if (one.refusal && Tokens::passes_refusals)
      out.push_back(std::move(*one.refusal));
    else
      out.push_back(withhold_call{at->first, Tokens::why_withheld(one, why)});
    at = requests_.erase(at);
  }
  return out;
}

template <class Tokens>
std::optional<std::pair<std::string, std::string>> token_calls<Tokens>::field(time_point now) const {
  const auto* last = tokens_.last(now);
  return last && !last->empty() ? std::optional{field_of(*last)} : std::nullopt;
}

} // namespace troupe::protocol
