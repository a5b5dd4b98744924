#include "protocol/access/token_verifier.hpp"

#include "protocol/text/url.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace troupe::protocol {

namespace {

const token_verdict too_many = token_verdict::unavailable("too many tokens are being looked at");
constexpr std::chrono::seconds short_pause{1};
token_verdict too_many_of_address(std::chrono::milliseconds pause) {
  return token_verdict::too_many("too many tokens from this address are being looked at", pause);
}
const token_verdict issuer_is_away = token_verdict::unavailable("the issuer of tokens cannot be reached");

} // namespace

verifier_effects token_verifier::begin(clocks at) { return follow(keys_.begin(at.now), at); }

verifier_effects token_verifier::shown(std::uint64_t number, token_to_verify token, clocks at) {
  verifier_effects out;
  if (auto verdict = verify_at_once(token, at))
    return {report_verdict{number, std::move(*verdict)}};
  ++tickets_;
  turns_.ticket_begun(token.from, at.now);
  const auto [known, is_new] = waiting_.try_emplace(std::move(token.text));
  auto& [text, what] = *known;
  what.tickets.push_back({number, token.from});
  if (!is_new)
    return out;
  what.digest = token.digest;
  what.from = std::move(token.from);
  auto verdict = judge(text, what, true, at, out);
  if (verdict) {
    tell(what.tickets, *verdict, out);
    waiting_.erase(known);
    return out;
  }
  turns_.token_begun(what.from, what.look(), at.now);
  places_ += what.has_place() ? 1 : 0;
  ask_next(out);
  return out;
}

/// Rejects requests over the limits, and tokens that were bad a moment ago. Clears the address of a token that was good
/// before.
std::optional<token_verdict> token_verifier::verify_at_once(token_to_verify& token, clocks at) {
  const auto bad = bad_.find(token.digest);
  if (bad != bad_.end() && at.now < bad->second.until)
    return bad->second.verdict;
  const auto limited = !token.from.empty();
  if (was_good(token))
    token.from.clear();
  if (turns_.has_all_tickets(token.from))
    return too_many_of_address(short_pause);
  return limited && tickets_ >= most_tickets ? std::optional{too_many} : std::nullopt;
}

bool token_verifier::was_good(const token_to_verify& token) const {
  if (!good_.find(token.digest))
    return false;
  const auto known = waiting_.find(token.text);
  return known == waiting_.end() || known->second.tickets.size() < most_tickets_of_good;
}

verifier_effects token_verifier::fetched(std::string_view text, clocks at) {
  return follow(keys_.fetched(text, at.now), at);
}

verifier_effects token_verifier::not_fetched(const std::string& why, clocks at) {
  return follow(keys_.failed(why, at.now), at);
}

verifier_effects token_verifier::tick(clocks at) { return follow(keys_.tick(at.now), at); }

verifier_effects token_verifier::follow(issuer_effects&& from, clocks at) {
  verifier_effects out;
  if (pass_on(std::move(from), out))
    judge_again(at, out);
  return out;
}

/// Passes effects on. True if the keys are settled.
bool token_verifier::pass_on(issuer_effects&& from, verifier_effects& out) {
  auto is_settled = false;
  for (auto& one : from)
    if (auto* fetch = std::get_if<fetch_document>(&one))
      out.push_back(std::move(*fetch));
    else if (auto* note = std::get_if<log_note>(&one))
      out.push_back(std::move(*note));
    else
      is_settled = true;
  return is_settled;
}

// -- judging ---------------------------------------------------------------------------

/// Returns nothing while the token has to wait.
std::optional<token_verdict> token_verifier::judge(const std::string& token, waiting& what, bool may_wait, clocks at,
                                                   verifier_effects& out) {
  if (token.size() > longest_token)
    return token_verdict::bad("the token is too long");
  if (auto claims = read_token(token))
    return verify_signed(token, *claims, what, may_wait, at, out);
  if (!rules_.introspects)
    return token_verdict::bad("the token cannot be read");
  return verify_opaque(what, may_wait, at, out);
}

/// Judges the claims first, so that no key is fetched for a token that is invalid anyway.
std::optional<token_verdict> token_verifier::verify_signed(const std::string& token, const token_claims& claims,
                                                           waiting& what, bool may_wait, clocks at,
                                                           verifier_effects& out) {
  auto judged = verdict_of(check_claims(claims, rules_.token, at.date), rules_.keep_signed);
  if (judged.is != token_verdict::kind::good)
    return judged;
  issuer_effects fetches;
  auto known = keys_.find(claims.algorithm, claims.key_id, at.now, fetches);
  pass_on(std::move(fetches), out);
  if (known.is == issuer_keys::state::awaited && may_wait)
    return why_no_place(what, at.now);
  if (known.is == issuer_keys::state::unknown)
    return token_verdict::bad("no key of the issuer signs such tokens");
  if (known.is != issuer_keys::state::known)
    return issuer_is_away;
  if (!fits_signature(claims.algorithm, claims.signature_size))
    return token_verdict::bad("the signature of the token is not good");
  if (may_wait && turns_.has_all_tokens(what.from, token_turns::look::checks_signature))
    return too_many_of_address(short_pause);
  known.keys.resize(std::min(known.keys.size(), most_tried));
  what.is = waiting::stage::signature;
  what.question = ++last_question_;
  what.claimed = std::move(judged);
  out.push_back(check_signature{last_question_, token, std::move(known.keys)});
  return std::nullopt;
}

std::optional<token_verdict> token_verifier::verify_opaque(waiting& what, bool may_wait, clocks at,
                                                           verifier_effects& out) {
  issuer_effects fetches;
  auto found = keys_.find_introspection(at.now, fetches);
  pass_on(std::move(fetches), out);
  if (found == issuer_keys::state::unknown)
    return token_verdict::bad("the token cannot be read, and its issuer cannot be asked about it");
  if (found == issuer_keys::state::unavailable || (found == issuer_keys::state::awaited && !may_wait))
    return issuer_is_away;
  if (auto why = may_wait ? why_no_place(what, at.now) : std::nullopt)
    return why;
  if (found == issuer_keys::state::known) {
    what.is = waiting::stage::turn;
    what.question = ++last_question_;
  }
  return std::nullopt;
}

/// Returns why a token gets no place to wait for the issuer; nothing when there is a place.
std::optional<token_verdict> token_verifier::why_no_place(const waiting& what, time_point now) {
  if (const auto pause = turns_.pause(what.from, now); pause.count() != 0)
    return token_verdict::too_many("tokens from this address were not good", pause);
  if (turns_.has_all_tokens(what.from, token_turns::look::waits_for_issuer))
    return too_many_of_address(short_pause);
  return !what.from.empty() && places_ >= most_waiting ? std::optional{too_many} : std::nullopt;
}

token_verdict token_verifier::verdict_of(std::variant<principal, std::string> judged, std::chrono::milliseconds keep) {
  if (auto* why = std::get_if<std::string>(&judged))
    return token_verdict::bad(std::move(*why));
  auto who = std::make_shared<const principal>(std::move(std::get<principal>(judged)));
  return {token_verdict::kind::good, std::move(who), {}, keep};
}

// -- waiting tokens ----------------------------------------------------------------------

void token_verifier::ask_next(verifier_effects& out) {
  while (asked_ < most_asked) {
    const auto next = next_to_ask();
    if (next == waiting_.end())
      return;
    auto& [token, what] = *next;
    what.is = waiting::stage::answer;
    ++asked_;
    turns_.ask_begun(what.from);
    out.push_back(introspect_token{what.question, keys_.metadata().introspection_url,
                                   "token=" + percent_encoded(token) + "&token_type_hint=access_token"});
  }
}

/// Returns the token that has waited longest, from the address with the fewest queries under way.
token_verifier::waiting_tokens::iterator token_verifier::next_to_ask() {
  auto result = waiting_.end();
  const auto rank = [this](const waiting& one) { return std::pair{turns_.asked(one.from), one.question}; };
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one) {
    const auto& what = one->second;
    const auto may = what.is == waiting::stage::turn && turns_.may_ask(what.from);
    if (may && (result == waiting_.end() || rank(what) < rank(result->second)))
      result = one;
  }
  return result;
}

verifier_effects token_verifier::introspected(std::uint64_t question, std::string_view answer_text, clocks at) {
  return answer(question, verdict_of(check_introspection(answer_text, rules_.token, at.date), rules_.keep_opaque),
                at.now);
}

verifier_effects token_verifier::not_introspected(std::uint64_t question, const std::string& why, clocks at) {
  const auto is_awaited = asked(question) != waiting_.end();
  auto out = answer(question, issuer_is_away, at.now);
  if (is_awaited)
    out.push_back(log_note{log_note::weight::warning,
                           "the issuer cannot be asked about a token",
                           {{"issuer", rules_.token.issuer}, {"why", why}}});
  return out;
}

verifier_effects token_verifier::signature_checked(std::uint64_t question, bool is_good, clocks at) {
  verifier_effects out;
  auto about = asked(question);
  if (about == waiting_.end() || (!is_good && awaits_changed_key(about->second, at.now, out)))
    return out;
  auto claimed = about->second.claimed;
  return answer(question, is_good ? claimed : token_verdict::bad("the signature of the token is not good"), at.now);
}

/// Fetches the keys once more: issuers change a key under the same id, or have keys without one. Done once for a token.
bool token_verifier::awaits_changed_key(waiting& what, time_point now, verifier_effects& out) {
  if (std::exchange(what.has_doubted, true) || why_no_place(what, now))
    return false;
  issuer_effects fetches;
  const auto is_awaited = keys_.doubt(now, fetches);
  pass_on(std::move(fetches), out);
  if (!is_awaited)
    return false;
  turns_.token_changes(what.from, what.look(), token_turns::look::waits_for_issuer);
  what.is = waiting::stage::issuer;
  ++places_;
  return true;
}

verifier_effects token_verifier::not_checked(std::uint64_t question, clocks at) {
  return answer(question, too_many, at.now);
}

/// Returns no effects when no token waits for the answer.
verifier_effects token_verifier::answer(std::uint64_t question, const token_verdict& verdict, time_point now) {
  verifier_effects out;
  auto about = asked(question);
  if (about == waiting_.end())
    return out;
  remember(about->second, verdict, now);
  end(about, verdict, now, out);
  ask_next(out);
  return out;
}

token_verifier::waiting_tokens::iterator token_verifier::asked(std::uint64_t question) {
  return std::ranges::find_if(waiting_, [&](auto& one) {
    auto& [token, what] = one;
    return what.question == question && (what.is == waiting::stage::answer || what.is == waiting::stage::signature);
  });
}

/// Judges the tokens that waited for keys, which do not wait for keys again.
void token_verifier::judge_again(clocks at, verifier_effects& out) {
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    auto& [token, what] = *one;
    const auto waits = what.is == waiting::stage::issuer;
    const auto verdict = waits ? judge(token, what, false, at, out) : std::nullopt;
    if (waits && !what.has_place()) {
      --places_;
      turns_.token_changes(what.from, token_turns::look::waits_for_issuer, what.look());
    }
    one = verdict ? end(one, *verdict, at.now, out) : std::next(one);
  }
  ask_next(out);
}

token_verifier::waiting_tokens::iterator token_verifier::end(waiting_tokens::iterator one, const token_verdict& verdict,
                                                             time_point now, verifier_effects& out) {
  const auto what = std::move(one->second);
  const auto next = waiting_.erase(one);
  places_ -= what.has_place() ? 1 : 0;
  if (what.is == waiting::stage::answer) {
    --asked_;
    turns_.ask_ended(what.from);
  }
  using outcome = token_turns::outcome;
  turns_.token_ended(what.from, what.look(),
                     verdict.is == token_verdict::kind::good  ? outcome::good
                     : verdict.is == token_verdict::kind::bad ? outcome::bad
                                                              : outcome::unknown,
                     now);
  tell(what.tickets, verdict, out);
  return next;
}

void token_verifier::tell(const std::vector<ticket>& whom, const token_verdict& verdict, verifier_effects& out) {
  for (auto& [number, from] : whom) {
    out.push_back(report_verdict{number, verdict});
    turns_.ticket_ended(from);
  }
  tickets_ -= whom.size();
}

void token_verifier::remember(const waiting& what, const token_verdict& verdict, time_point now) {
  if (verdict.is == token_verdict::kind::good)
    good_.use(what.digest);
  if (verdict.is == token_verdict::kind::bad)
    remember_bad(what, verdict, now);
}

/// Drops expired entries when there are too many, or else all entries.
void token_verifier::remember_bad(const waiting& what, const token_verdict& verdict, time_point now) {
  good_.erase(what.digest);
  if (bad_.size() >= most_bad)
    std::erase_if(bad_, [&](auto& one) { return now >= one.second.until; });
  if (bad_.size() >= most_bad)
    bad_.clear();
  bad_.insert_or_assign(what.digest, bad_token{verdict, now + keep_bad});
}

} // namespace troupe::protocol
