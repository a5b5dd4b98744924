#pragma once

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

/// Where an issuer grants tokens, as its metadata says (RFC 8414): found when it is first needed, looked for again
/// after a while, and kept while the issuer is away. Facts in; what is to be fetched out.
class token_endpoint {
public:
  /// How long it is believed, and how long the metadata is left alone when they could not be used.
  static constexpr std::chrono::minutes lifetime{60};
  static constexpr std::chrono::seconds pause{5};

  /// One that is configured is never looked for.
  token_endpoint(std::string issuer, std::string configured)
      : issuer_{std::move(issuer)}, url_{std::move(configured)}, is_fixed_{!url_.empty()} {}

  /// Empty when it is not known.
  const std::string& url() const { return url_; }
  bool is_awaited() const { return !places_.empty(); }
  /// Why it is not known.
  const std::string& why_not() const { return why_not_; }

  /// Somebody needs it: the document to fetch, if it is time for that; answered with `fetched` or `failed`.
  std::optional<std::string> needed(time_point now);
  /// The next document to fetch, when this one does not say where it is.
  std::optional<std::string> fetched(std::string_view text, time_point now);
  std::optional<std::string> failed(const std::string& why, time_point now);

private:
  std::string issuer_;
  std::string url_;
  bool is_fixed_;
  std::string why_not_;
  /// What is being fetched, and what is to be fetched when that is in vain.
  std::vector<std::string> places_;
  time_point look_at_ = time_point::min();
};

// What `server_tokens` decides.

/// GET this document of the issuer's; answered with `document_fetched` or `document_failed`.
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
/// Give who asked a token, good until then.
struct tell_token {
  std::uint64_t ticket = 0;
  std::string text;
  time_point until;
  friend bool operator==(const tell_token&, const tell_token&) = default;
};
/// Tell who asked why there is none.
struct tell_no_token {
  std::uint64_t ticket = 0;
  std::string why;
  friend bool operator==(const tell_no_token&, const tell_no_token&) = default;
};

using grant_effect = std::variant<fetch_metadata, request_token, tell_token, tell_no_token, log_note>;
using grant_effects = std::vector<grant_effect>;

/// What is wanted: a token for `owner`, nobody in particular or a caller by its `identity_of` and by what its own token
/// allows.
struct wanted_token {
  std::string owner = {};
  /// The caller's own, to be exchanged; or why there is none.
  std::string subject = {};
  std::string why_no_subject = {};
  /// When the caller's own is good no more, and with it what it was exchanged for.
  time_point subject_until = time_point::max();
  /// The token that the server has refused: it is not given again.
  std::string stale = {};
};

/// The tokens that one remote server is shown, one for each owner: kept until shortly before they expire, fetched once
/// for all who wait, few at a time, and not at all for a moment when that has failed. Facts in, effects out.
class server_tokens {
public:
  /// Owners that are known: for a further one that is forgotten whose token was not wanted for longest.
  static constexpr std::size_t most_owners = 10'000;
  /// Those who may wait for tokens. None is fetched for further ones.
  static constexpr std::size_t most_waiting = 10'000;
  /// Requests to the token endpoint that are under way at a time. Others wait in order, and only so long.
  static constexpr std::size_t most_asked = 16;
  static constexpr std::chrono::seconds longest_wait{30};
  /// After a failure; each further one doubles it.
  static constexpr std::chrono::seconds first_pause{1};
  static constexpr std::chrono::seconds longest_pause{30};
  /// A server that refuses the token that has just replaced one it refused is not believed again before.
  static constexpr std::chrono::seconds renewal_pause{10};

  /// A token is used for so long, whatever is said of its life.
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
  /// Forgets what is of no use any more, and refuses who has waited too long to be asked for.
  grant_effects tick(time_point now);
  time_point deadline() const {
    return unasked_.empty() ? look_at_ : std::min(look_at_, unasked_.front().since + longest_wait);
  }

  std::size_t owners() const { return owners_.size(); }

private:
  struct owner {
    std::string token = {};
    /// When it is to be replaced, which is before it expires.
    time_point until = time_point::min();
    /// Until then it is not replaced because the server has refused it.
    time_point renewed_until = time_point::min();
    std::vector<std::uint64_t> waiting = {};
    std::string subject = {};
    time_point subject_until = time_point::max();
    /// Where it is among all by their last use.
    std::list<std::string>::iterator place = {};
    /// Of the last failure: why, until when it counts, and for which subject.
    std::string why_not = {};
    time_point retry_at = time_point::min();
    std::chrono::seconds pause{0};
    std::size_t failed_subject = 0;

    bool rests(time_point now) const {
      return waiting.empty() && until <= now && retry_at <= now && renewed_until <= now;
    }
  };
  using all_owners = std::unordered_map<std::string, owner>;
  /// Who waits to be asked for.
  struct unasked {
    std::string name;
    time_point since;
  };

  owner& find(const std::string& name, time_point now);
  void forget_one();
  void begin(const std::string& name, owner& of, std::uint64_t ticket, wanted_token what, time_point now,
             grant_effects& out);
  void ask(const std::string& name, owner& of, grant_effects& out);
  void ask_next(time_point now, grant_effects& out);
  void fail(owner& of, const std::string& why, time_point now, grant_effects& out);
  owner* asked(std::uint64_t question);

  grant_rules rules_;
  token_endpoint endpoint_;
  all_owners owners_;
  /// Those whose tokens were wanted lately come first.
  std::list<std::string> by_use_;
  /// What is asked for whom.
  std::map<std::uint64_t, std::string> questions_;
  /// Who waits until the endpoint is known, and until others were answered.
  std::deque<unasked> unasked_;
  std::uint64_t last_question_ = 0;
  std::size_t waiting_ = 0;
  time_point look_at_ = time_point::max();
};

} // namespace troupe::protocol
