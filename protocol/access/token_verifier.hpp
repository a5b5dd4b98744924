#pragma once

#include "protocol/access/credential_lookup.hpp"
#include "protocol/access/issuer_keys.hpp"
#include "protocol/access/token_claims.hpp"
#include "protocol/access/token_turns.hpp"
#include "protocol/access/token_verdict.hpp"
#include "protocol/two_generations.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Effects of `token_verifier`, besides the fetching of keys.

/// Query the issuer about an opaque token (RFC 7662, 2.1); answered with `introspected` or `not_introspected`.
struct introspect_token {
  std::uint64_t question = 0;
  std::string url;
  /// Form to send.
  std::string body;
  friend bool operator==(const introspect_token&, const introspect_token&) = default;
};
/// Check a token's signature by these keys, JSON Web Keys; answered with `signature_checked` or `not_checked`.
struct check_signature {
  std::uint64_t question = 0;
  std::string token;
  std::vector<public_key> keys;
  friend bool operator==(const check_signature&, const check_signature&) = default;
};
/// Report the verdict to the request that showed the token.
struct report_verdict {
  std::uint64_t ticket = 0;
  token_verdict verdict;
};

using verifier_effect = std::variant<fetch_document, introspect_token, check_signature, report_verdict, log_note>;
using verifier_effects = std::vector<verifier_effect>;

/// Token that was shown, and the client's address; see `token_turns` for requests without an address.
struct token_to_verify {
  std::string text;
  credential_digest digest = {};
  std::string from = {};
};

/// Verifies tokens, by their signature and claims or by a query to the issuer. Many requests may show the same token at
/// a time. Tokens that wait for the issuer need one of a limited number of places, of which each address has a share.
/// Tokens that a known key can verify need none. A token that was good before counts for no address, so that other
/// clients there cannot lock it out. Facts in, effects out.
class token_verifier {
public:
  struct rules {
    token_rules token;
    /// Whether the issuer is queried about tokens that are no JSON Web Tokens.
    bool introspects = false;
    /// Time for which a good verdict holds: signed tokens are valid until their key is gone, opaque ones are revocable.
    std::chrono::milliseconds keep_signed = std::chrono::minutes{5};
    std::chrono::milliseconds keep_opaque = std::chrono::seconds{30};
  };

  /// Most tokens that may wait for the issuer, and most requests that show tokens. Further ones are `unavailable`.
  static constexpr std::size_t most_waiting = 1000;
  static constexpr std::size_t most_tickets = 10'000;
  /// Most keys that are tried for a token that names none.
  static constexpr std::size_t most_tried = 16;
  /// Most tokens that the issuer is queried about at the same time; the others wait, and addresses take turns.
  static constexpr std::size_t most_asked = 32;
  /// Time for which a bad token is not verified again, and the most that are remembered.
  static constexpr std::chrono::seconds keep_bad{5};
  static constexpr std::size_t most_bad = 10'000;
  /// Most good tokens that are remembered, in each of two generations.
  static constexpr std::size_t most_good = 10'000;
  /// Most requests that may show a token that was good before, without counting for their address.
  static constexpr std::size_t most_tickets_of_good = 100;

  explicit token_verifier(rules of)
      : rules_{std::move(of)}, keys_{{.issuer = rules_.token.issuer, .introspects = rules_.introspects}} {}

  /// Time of a fact. Tokens use calendar time.
  struct clocks {
    time_point now;
    calendar_time date;
  };

  // -- facts
  verifier_effects begin(clocks at);
  /// Adds a request that shows a token; answered by `report_verdict` with this ticket, at once or later.
  verifier_effects shown(std::uint64_t ticket, token_to_verify token, clocks at);
  verifier_effects fetched(std::string_view text, clocks at);
  verifier_effects not_fetched(const std::string& why, clocks at);
  verifier_effects introspected(std::uint64_t question, std::string_view answer_text, clocks at);
  verifier_effects signature_checked(std::uint64_t question, bool is_good, clocks at);
  /// Too many signatures are being checked already.
  verifier_effects not_checked(std::uint64_t question, clocks at);
  verifier_effects not_introspected(std::uint64_t question, const std::string& why, clocks at);
  verifier_effects tick(clocks at);
  time_point deadline() const { return keys_.deadline(); }

  /// Metadata of the issuer as received; empty until then.
  const std::string& metadata_text() const { return keys_.metadata_text(); }

private:
  struct ticket {
    std::uint64_t number = 0;
    std::string from;
  };
  struct waiting {
    /// Waits for the issuer's keys or metadata, for its turn to be queried, for the issuer's answer, or for the check.
    enum class stage { issuer, turn, answer, signature };
    std::vector<ticket> tickets = {};
    credential_digest digest = {};
    /// Address whose share the token counts for.
    std::string from = {};
    stage is = stage::issuer;
    /// Number of the query or check; in stage `turn`, its place in the queue.
    std::uint64_t question = 0;
    /// Verdict if the signature is good, in stage `signature`.
    token_verdict claimed = {};
    /// Whether a bad signature has already been taken for a sign of changed keys.
    bool has_doubted = false;

    bool has_place() const { return is != stage::signature; }
    token_turns::look look() const {
      return has_place() ? token_turns::look::waits_for_issuer : token_turns::look::checks_signature;
    }
  };
  using waiting_tokens = std::map<std::string, waiting, std::less<>>;
  struct bad_token {
    token_verdict verdict;
    time_point until;
  };

  std::optional<token_verdict> verify_at_once(token_to_verify& token, clocks at);
  bool was_good(const token_to_verify& token) const;
  std::optional<token_verdict> judge(const std::string& token, waiting& what, bool may_wait, clocks at,
                                     verifier_effects& out);
  std::optional<token_verdict> verify_signed(const std::string& token, const token_claims& claims, waiting& what,
                                             bool may_wait, clocks at, verifier_effects& out);
  std::optional<token_verdict> verify_opaque(waiting& what, bool may_wait, clocks at, verifier_effects& out);
  std::optional<token_verdict> why_no_place(const waiting& what, time_point now);
  bool awaits_changed_key(waiting& what, time_point now, verifier_effects& out);
  void ask_next(verifier_effects& out);
  waiting_tokens::iterator next_to_ask();
  void remember(const waiting& what, const token_verdict& verdict, time_point now);
  void remember_bad(const waiting& what, const token_verdict& verdict, time_point now);
  static token_verdict verdict_of(std::variant<principal, std::string> judged, std::chrono::milliseconds keep);
  waiting_tokens::iterator asked(std::uint64_t question);
  verifier_effects answer(std::uint64_t question, const token_verdict& verdict, time_point now);
  void tell(const std::vector<ticket>& whom, const token_verdict& verdict, verifier_effects& out);
  waiting_tokens::iterator end(waiting_tokens::iterator one, const token_verdict& verdict, time_point now,
                               verifier_effects& out);
  verifier_effects follow(issuer_effects&& from, clocks at);
  static bool pass_on(issuer_effects&& from, verifier_effects& out);
  void judge_again(clocks at, verifier_effects& out);

  rules rules_;
  issuer_keys keys_;
  waiting_tokens waiting_;
  token_turns turns_;
  std::unordered_map<credential_digest, bad_token, digest_hash> bad_;
  /// Tokens of authenticated callers only: there are as many as the issuer has granted.
  two_generations<credential_digest, std::monostate, digest_hash> good_{most_good};
  /// Number of waiting tokens with a place, and of those that the issuer is being queried about.
  std::size_t places_ = 0, asked_ = 0;
  std::size_t tickets_ = 0;
  std::uint64_t last_question_ = 0;
};

} // namespace troupe::protocol
