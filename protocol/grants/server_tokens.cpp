#include "protocol/grants/server_tokens.hpp"

#include "protocol/grants/grant_answer.hpp"

#include <algorithm>
#include <functional>

namespace troupe::protocol {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// How often owners that rest are looked for.
constexpr std::chrono::minutes look_pause{1};

/// How long before it expires a token is replaced: calls take time, and clocks differ.
milliseconds margin_of(seconds life) { return std::min<milliseconds>(seconds{30}, milliseconds{life} / 10); }

} // namespace

grant_effects server_tokens::wanted(std::uint64_t ticket, wanted_token what, time_point now) {
  grant_effects out;
  auto refuse = [&](std::string why) {
    out.push_back(tell_no_token{ticket, std::move(why)});
    return std::move(out);
  };
  const auto name = std::move(what.owner);
  auto* of = find(name, now);
  if (!of || waiting_ >= most_waiting)
    return refuse("too many callers wait for one");
  if (!of->waiting.empty()) {
    of->waiting.push_back(ticket);
    ++waiting_;
    return out;
  }
  if (!of->token.empty() && of->token == what.stale) {
    if (now < of->renewed_until)
      return refuse("the server refuses the one that was just fetched");
    of->token.clear();
    of->until = time_point::min();
    of->renewed_until = now + renewal_pause;
  }
  if (now < of->until) {
    out.push_back(tell_token{ticket, of->token, of->until});
    return out;
  }
  if (!what.why_no_subject.empty())
    return refuse(std::move(what.why_no_subject));
  if (now < of->retry_at && std::hash<std::string>{}(what.subject) == of->failed_subject)
    return refuse(of->why_not);
  begin(name, *of, ticket, std::move(what), now, out);
  return out;
}

/// Null when there are too many.
server_tokens::owner* server_tokens::find(const std::string& name, time_point now) {
  if (auto found = owners_.find(name); found != owners_.end())
    return &found->second;
  if (owners_.size() >= most_owners)
    tick(now);
  if (owners_.size() >= most_owners)
    return nullptr;
  look_at_ = std::min(look_at_, now + look_pause);
  return &owners_[name];
}

void server_tokens::begin(const std::string& name, owner& of, std::uint64_t ticket, wanted_token what, time_point now,
                          grant_effects& out) {
  of.token.clear();
  of.subject = std::move(what.subject);
  of.waiting.push_back(ticket);
  ++waiting_;
  if (auto place = endpoint_.needed(now))
    out.push_back(fetch_metadata{std::move(*place)});
  if (!endpoint_.url().empty())
    ask(name, of, out);
  else if (endpoint_.is_awaited())
    unasked_.push_back(name);
  else
    fail(of, endpoint_.why_not(), now, out);
}

void server_tokens::ask(const std::string& name, owner& of, grant_effects& out) {
  questions_.emplace(++last_question_, name);
  out.push_back(request_token{last_question_, endpoint_.url(), grant_fields(rules_), grant_form(rules_, of.subject)});
}

grant_effects server_tokens::document_fetched(std::string_view text, time_point now) {
  grant_effects out;
  if (auto next = endpoint_.fetched(text, now))
    out.push_back(fetch_metadata{std::move(*next)});
  endpoint_settled(now, out);
  return out;
}

grant_effects server_tokens::document_failed(const std::string& why, time_point now) {
  grant_effects out;
  if (auto next = endpoint_.failed(why, now))
    out.push_back(fetch_metadata{std::move(*next)});
  endpoint_settled(now, out);
  return out;
}

void server_tokens::endpoint_settled(time_point now, grant_effects& out) {
  if (endpoint_.is_awaited())
    return;
  for (auto& name : std::exchange(unasked_, {})) {
    auto& of = owners_.at(name);
    if (endpoint_.url().empty())
      fail(of, endpoint_.why_not(), now, out);
    else
      ask(name, of, out);
  }
}

/// Null when nothing of that number was asked.
server_tokens::owner* server_tokens::asked(std::uint64_t question) {
  auto node = questions_.extract(question);
  return node.empty() ? nullptr : &owners_.at(node.mapped());
}

grant_effects server_tokens::answered(std::uint64_t question, int status, std::string_view body, time_point now) {
  auto read = read_grant_answer(status, body);
  if (auto* why = std::get_if<std::string>(&read))
    return failed(question, *why, now);
  grant_effects out;
  auto* of = asked(question);
  if (!of)
    return out;
  auto& granted = std::get<granted_token>(read);
  of->token = std::move(granted.text);
  of->until = now + granted.life - margin_of(granted.life);
  of->subject.clear();
  of->pause = {};
  of->retry_at = time_point::min();
  waiting_ -= of->waiting.size();
  for (auto ticket : std::exchange(of->waiting, {}))
    out.push_back(tell_token{ticket, of->token, of->until});
  return out;
}

grant_effects server_tokens::failed(std::uint64_t question, const std::string& why, time_point now) {
  grant_effects out;
  if (auto* of = asked(question))
    fail(*of, why, now, out);
  return out;
}

void server_tokens::fail(owner& of, const std::string& why, time_point now, grant_effects& out) {
  of.failed_subject = std::hash<std::string>{}(of.subject);
  of.subject.clear();
  of.pause = std::clamp<seconds>(of.pause * 2, first_pause, longest_pause);
  of.retry_at = now + of.pause;
  of.why_not = "the authorization server gives none: " + why;
  out.push_back(log_note{log_note::weight::warning, "no token for the server", {{"why", why}}});
  waiting_ -= of.waiting.size();
  for (auto ticket : std::exchange(of.waiting, {}))
    out.push_back(tell_no_token{ticket, of.why_not});
}

void server_tokens::tick(time_point now) {
  std::erase_if(owners_, [&](auto& one) { return one.second.rests(now); });
  look_at_ = owners_.empty() ? time_point::max() : now + look_pause;
}

} // namespace troupe::protocol
