#include "protocol/access/token_verifier.hpp"

#include "protocol/text/percent.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

const token_verdict too_many = token_verdict::unavailable("too many tokens are being looked at");
const token_verdict issuer_is_away = token_verdict::unavailable("the issuer of tokens cannot be reached");

} // namespace

verifier_effects token_verifier::begin(clocks at) {
  verifier_effects out;
  hear(keys_.begin(at.now), at, out);
  return out;
}

verifier_effects token_verifier::shown(std::uint64_t ticket, std::string token, clocks at) {
  verifier_effects out;
  if (tickets_ >= most_tickets)
    return {tell_verdict{ticket, too_many}};
  ++tickets_;
  if (auto same = waiting_.find(token); same != waiting_.end())
    same->second.tickets.push_back(ticket);
  else
    look_at(std::move(token), ticket, at, out);
  return out;
}

void token_verifier::look_at(std::string token, std::uint64_t ticket, clocks at, verifier_effects& out) {
  const auto may_wait = waiting_.size() < most_waiting;
  if (auto verdict = judge(token, may_wait, at, out))
    tell({{ticket}}, *verdict, out);
  else
    waiting_[std::move(token)].tickets.push_back(ticket);
}

verifier_effects token_verifier::fetched(std::string_view text, clocks at) {
  verifier_effects out;
  hear(keys_.fetched(text, at.now), at, out);
  return out;
}

verifier_effects token_verifier::not_fetched(const std::string& why, clocks at) {
  verifier_effects out;
  hear(keys_.failed(why, at.now), at, out);
  return out;
}

verifier_effects token_verifier::tick(clocks at) {
  verifier_effects out;
  hear(keys_.tick(at.now), at, out);
  return out;
}

void token_verifier::hear(issuer_effects&& from, clocks at, verifier_effects& out) {
  if (pass_on(std::move(from), out))
    judge_again(at, out);
}

/// Whether the keys are settled.
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

/// Nothing while it has to wait.
std::optional<token_verdict> token_verifier::judge(const std::string& token, bool may_wait, clocks at,
                                                   verifier_effects& out) {
  if (token.size() > longest_token)
    return token_verdict::bad("the token is too long");
  if (auto claims = read_token(token))
    return judge_signed(token, *claims, may_wait, at, out);
  if (!rules_.introspects)
    return token_verdict::bad("the token cannot be read");
  return judge_opaque(token, may_wait, at, out);
}

/// The claims first: for a token that would not do anyway, no key is fetched.
std::optional<token_verdict> token_verifier::judge_signed(const std::string& token, const token_claims& claims,
                                                          bool may_wait, clocks at, verifier_effects& out) {
  auto judged = verdict_of(judge_claims(claims.payload, rules_.token, at.date), rules_.keep_signed);
  if (judged.is != token_verdict::kind::good)
    return judged;
  issuer_effects fetches;
  auto known = keys_.find(claims.algorithm, claims.key_id, at.now, fetches);
  pass_on(std::move(fetches), out);
  if (known.is == issuer_keys::state::awaited && may_wait)
    return std::nullopt;
  if (known.is == issuer_keys::state::unknown)
    return token_verdict::bad("no key of the issuer signs such tokens");
  if (known.is != issuer_keys::state::known)
    return issuer_is_away;
  if (!fits_signature(claims.algorithm, claims.signature_size))
    return token_verdict::bad("the signature of the token is not good");
  known.keys.resize(std::min(known.keys.size(), most_tried));
  if (!may_wait && !waiting_.contains(token))
    return too_many;
  auto& asked = waiting_[token];
  asked.question = ++last_question_;
  asked.claimed = std::move(judged);
  out.push_back(check_signature{last_question_, token, std::move(known.keys)});
  return std::nullopt;
}

std::optional<token_verdict> token_verifier::judge_opaque(const std::string& token, bool may_wait, clocks at,
                                                          verifier_effects& out) {
  issuer_effects fetches;
  auto found = keys_.find_introspection(at.now, fetches);
  pass_on(std::move(fetches), out);
  if (found == issuer_keys::state::unknown)
    return token_verdict::bad("the token cannot be read, and its issuer cannot be asked about it");
  auto is_known = found == issuer_keys::state::known;
  if (is_known ? !may_wait && !waiting_.contains(token) : !may_wait || found == issuer_keys::state::unavailable)
    return issuer_is_away;
  if (is_known) {
    waiting_[token].question = ++last_question_;
    out.push_back(introspect_token{last_question_, keys_.metadata().introspection_url,
                                   "token=" + percent_encoded(token) + "&token_type_hint=access_token"});
  }
  return std::nullopt;
}

token_verdict token_verifier::verdict_of(std::variant<principal, std::string> judged, std::chrono::milliseconds keep) {
  if (auto* why = std::get_if<std::string>(&judged))
    return token_verdict::bad(std::move(*why));
  auto who = std::make_shared<const principal>(std::move(std::get<principal>(judged)));
  return {token_verdict::kind::good, std::move(who), {}, keep};
}

// -- those that wait ---------------------------------------------------------------------

verifier_effects token_verifier::introspected(std::uint64_t question, std::string_view answer_text, clocks at) {
  return answer(question, verdict_of(judge_introspection(answer_text, rules_.token, at.date), rules_.keep_opaque));
}

verifier_effects token_verifier::not_introspected(std::uint64_t question, const std::string& why, clocks) {
  auto out = answer(question, issuer_is_away);
  if (!out.empty())
    out.push_back(log_note{log_note::weight::warning,
                           "the issuer cannot be asked about a token",
                           {{"issuer", rules_.token.issuer}, {"why", why}}});
  return out;
}

verifier_effects token_verifier::signature_checked(std::uint64_t question, bool is_good) {
  auto about = asked(question);
  auto claimed = about == waiting_.end() ? token_verdict{} : about->second.claimed;
  return answer(question, is_good ? claimed : token_verdict::bad("the signature of the token is not good"));
}

verifier_effects token_verifier::not_checked(std::uint64_t question) { return answer(question, too_many); }

/// Nothing when nobody waits for it.
verifier_effects token_verifier::answer(std::uint64_t question, token_verdict verdict) {
  verifier_effects out;
  auto about = asked(question);
  if (about == waiting_.end())
    return out;
  tell(about->second, verdict, out);
  waiting_.erase(about);
  return out;
}

token_verifier::waiting_tokens::iterator token_verifier::asked(std::uint64_t question) {
  return std::ranges::find_if(waiting_, [&](auto& one) { return one.second.question == question; });
}

/// Who has waited for keys does not wait for them again.
void token_verifier::judge_again(clocks at, verifier_effects& out) {
  for (auto one = waiting_.begin(); one != waiting_.end();) {
    auto verdict = one->second.question == 0 ? judge(one->first, false, at, out) : std::nullopt;
    if (verdict)
      tell(one->second, *verdict, out);
    one = verdict ? waiting_.erase(one) : std::next(one);
  }
}

void token_verifier::tell(const waiting& whom, const token_verdict& verdict, verifier_effects& out) {
  for (auto ticket : whom.tickets)
    out.push_back(tell_verdict{ticket, verdict});
  tickets_ -= whom.tickets.size();
}

} // namespace troupe::protocol
