#pragma once

#include "protocol/access/issuer.hpp"
#include "protocol/backoff.hpp"
#include "protocol/grants/token_grant.hpp"
#include "protocol/log.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Token endpoint of an issuer, by its metadata (RFC 8414). Looked up when first needed and again after a while, and
/// kept while the issuer is unreachable. Facts in, documents to fetch out.
class token_endpoint {
public:
  /// Time for which an endpoint is trusted, and pause after a failed lookup.
  static constexpr std::chrono::minutes lifetime{60};
  static constexpr std::chrono::seconds pause{5};

  /// A configured endpoint is never looked up.
  token_endpoint(std::string issuer, std::string configured)
      : issuer_{std::move(issuer)}, url_{std::move(configured)}, is_fixed_{!url_.empty()} {}

  /// Empty when the endpoint is unknown.
  const std::string& url() const { return url_; }
  bool is_awaited() const { return search_.is_under_way(); }
  /// Reason why the endpoint is unknown.
  const std::string& why_not() const { return why_not_; }

  /// A request needs the endpoint. Returns a document to fetch, if it is time; answered with `fetched` or `failed`.
  std::optional<std::string> needed(time_point now);
  /// Returns the next document to fetch when this one does not name the endpoint.
  std::optional<std::string> fetched(std::string_view text, time_point now);
  std::optional<std::string> failed(const std::string& why, time_point now);

private:
  std::string issuer_;
  std::string url_;
  bool is_fixed_;
  std::string why_not_;
  document_search search_;
  time_point look_at_ = time_point::min();
};

// Effects of `server_tokens`.

/// Fetch this document of the issuer with GET; answered with `document_fetched` or `document_failed`.
struct fetch_metadata {
  std::string url;
  friend bool operator==(const fetch_metadata&, const fetch_metadata&) = default;
};
/// POST this form to the token endpoint; answered with `answered` or `failed`.
struct request_token {
  std::uint64_t question = 0;
  std::string url;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string form;
  friend bool operator==(const request_token&, const request_token&) = default;
};
/// Give the waiting request a token, valid until then.
struct deliver_token {
  std::uint64_t ticket = 0;
  std::string text;
  time_point until;
  friend bool operator==(const deliver_token&, const deliver_token&) = default;
};
/// Report to the waiting request why there is no token.
struct report_no_token {
  std::uint64_t ticket = 0;
  std::string why;
  friend bool operator==(const report_no_token&, const report_no_token&) = default;
};

using grant_effect = std::variant<fetch_metadata, request_token, deliver_token, report_no_token, log_note>;
using grant_effects = std::vector<grant_effect>;

/// Request for a token of `owner`: the gateway itself when empty, or a caller by its `identity_of` and the scopes of
/// its own token.
struct wanted_token {
  std::string owner = {};
  /// Caller's own token, to be exchanged; or the reason why there is none.
  std::string subject = {};
  std::string why_no_subject = {};
  /// Time from which the caller's own token is invalid, and with it the token in exchange.
  time_point subject_until = time_point::max();
  /// Token that the server has refused: it is not given again.
  std::string stale = {};
};

/// Tokens for one remote server, one for each owner. Kept until shortly before they expire, and fetched once for all
/// waiting requests. Limits the fetches at a time, and pauses after a failure. Facts in, effects out.
class server_tokens {
public:
  /// Most owners; a further one replaces the owner whose token was unused for longest.
  static constexpr std::size_t most_owners = 10'000;
  /// Most requests that may wait for tokens. Further ones are refused.
  static constexpr std::size_t most_waiting = 10'000;
  /// Most requests to the token endpoint at a time. Others wait in order, for up to `longest_wait`.
  static constexpr std::size_t most_asked = 16;
  static constexpr std::chrono::seconds longest_wait{30};
  /// Pause after a failure; each further one doubles it.
  static constexpr std::chrono::seconds first_pause{1};
  static constexpr std::chrono::seconds longest_pause{30};
  /// Interval of replacements: a server that refuses the replacement of a refused token is not believed before.
  static constexpr std::chrono::seconds renewal_pause{10};

  /// Shortest use of a token, whatever its stated lifetime.
  static constexpr std::chrono::seconds shortest_use{1};

  explicit server_tokens(grant_rules rules) : rules_{std::move(rules)}, endpoint_{rules_.issuer, rules_.endpoint} {}
  server_tokens(const server_tokens&) = delete;
  server_tokens& operator=(const server_tokens&) = delete;

  // -- facts
  grant_effects wanted(std::uint64_t ticket, wanted_token what, time_point now);
  grant_effects document_fetched(std::string_view text, time_point now);
  grant_effects document_failed(const std::string& why, time_point now);
  grant_effects answered(std::uint64_t question, int status, std::string_view body, time_point now);
  grant_effects failed(std::uint64_t question, const std::string& why, time_point now);
  /// Drops idle owners, and refuses requests that have waited too long for a query to be sent.
  grant_effects tick(time_point now);
  time_point deadline() const {
    return unasked_.empty() ? look_at_ : std::min(look_at_, unasked_.front().since + longest_wait);
  }

  std::size_t owners() const { return owners_.size(); }

private:
  struct owner {
    std::string token = {};
    /// Time to replace the token, before it expires.
    time_point until = time_point::min();
    /// Time before which a refusal by the server does not replace the token.
    time_point renewed_until = time_point::min();
    std::vector<std::uint64_t> waiting = {};
    std::string subject = {};
    time_point subject_until = time_point::max();
    /// Place in `by_use_`.
    std::list<std::string>::iterator place = {};
    /// Last failure: its reason, the end and length of its pause, and the hash of its subject.
    std::string why_not = {};
    time_point retry_at = time_point::min();
    backoff pause{first_pause, longest_pause};
    std::size_t failed_subject = 0;

    bool rests(time_point now) const {
      return waiting.empty() && until <= now && retry_at <= now && renewed_until <= now;
    }
  };
  using all_owners = std::unordered_map<std::string, owner>;
  /// Owner that waits for its request to be sent.
  struct unasked {
    std::string name;
    time_point since;
  };

  owner& find(const std::string& name, time_point now);
  void forget_one();
  void begin(const std::string& name, owner& of, std::uint64_t ticket, wanted_token what, time_point now,
             grant_effects& out);
  void ask(const std::string& name, owner& of, grant_effects& out);
  grant_effects go_on(std::optional<std::string> next_document, time_point now);
  void ask_next(time_point now, grant_effects& out);
  void fail(owner& of, const std::string& why, time_point now, grant_effects& out);
  owner* asked(std::uint64_t question);

  grant_rules rules_;
  token_endpoint endpoint_;
  all_owners owners_;
  /// Names of owners, the most recently used first.
  std::list<std::string> by_use_;
  /// Owners of the requests under way, by number.
  std::map<std::uint64_t, std::string> questions_;
  /// Owners that wait until the endpoint is known, and until other requests are answered.
  std::deque<unasked> unasked_;
  std::uint64_t last_question_ = 0;
  std::size_t waiting_ = 0;
  time_point look_at_ = time_point::max();
};

} // namespace troupe::protocol
