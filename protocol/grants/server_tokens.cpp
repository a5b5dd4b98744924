#include "protocol/grants/server_tokens.hpp"

#include <cassert>
#include <functional>
#include <iterator>

namespace troupe::protocol {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Interval at which idle owners are dropped.
constexpr std::chrono::minutes look_pause{1};

/// Returns how long a token is used: a token that expires at once is still not fetched for each request.
milliseconds use_of(seconds life) {
  return std::max<milliseconds>(life - renewal_margin(life), server_tokens::shortest_use);
}

} // namespace

std::optional<std::string> token_endpoint::needed(time_point now) {
  if (is_fixed_ || is_awaited() || now < look_at_)
    return std::nullopt;
  search_ = document_search{metadata_urls(issuer_)};
  return search_.next();
}

std::optional<std::string> token_endpoint::fetched(std::string_view text, time_point now) {
  if (!is_awaited())
    return std::nullopt;
  auto read = read_token_endpoint(text, issuer_);
  if (auto* bad = std::get_if<bad_metadata>(&read))
    return failed(bad->why, now);
  url_ = std::move(std::get<std::string>(read));
  search_.end();
  look_at_ = now + lifetime;
  return std::nullopt;
}

/// Keeps an endpoint that is known already.
std::optional<std::string> token_endpoint::failed(const std::string& why, time_point now) {
  if (!is_awaited())
    return std::nullopt;
  auto next = search_.next();
  if (!next) {
    why_not_ = why;
    look_at_ = now + pause;
  }
  return next;
}

grant_effects server_tokens::wanted(std::uint64_t ticket, wanted_token what, time_point now) {
  grant_effects out;
  auto refuse = [&](std::string why) {
    out.push_back(report_no_token{ticket, std::move(why)});
    return std::move(out);
  };
  const auto name = std::move(what.owner);
  if (waiting_ >= most_waiting)
    return refuse("too many callers wait for one");
  auto* of = &find(name, now);
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
    out.push_back(deliver_token{ticket, of->token, of->until});
    return out;
  }
  if (!what.why_no_subject.empty())
    return refuse(std::move(what.why_no_subject));
  if (now < of->retry_at && std::hash<std::string>{}(what.subject) == of->failed_subject)
    return refuse(of->why_not);
  begin(name, *of, ticket, std::move(what), now, out);
  return out;
}

server_tokens::owner& server_tokens::find(const std::string& name, time_point now) {
  if (auto found = owners_.find(name); found != owners_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second.place);
    return found->second;
  }
  if (owners_.size() >= most_owners)
    forget_one();
  look_at_ = std::min(look_at_, now + look_pause);
  by_use_.push_front(name);
  auto& result = owners_[name];
  result.place = by_use_.begin();
  return result;
}

/// Drops an owner. There is one without waiting requests, since no more requests may wait than there may be owners.
void server_tokens::forget_one() {
  static_assert(most_waiting <= most_owners);
  auto oldest = std::ranges::find_if(by_use_.rbegin(), by_use_.rend(),
                                     [&](auto& name) { return owners_.at(name).waiting.empty(); });
  assert(oldest != by_use_.rend());
  owners_.erase(*oldest);
  by_use_.erase(std::next(oldest).base());
}

void server_tokens::begin(const std::string& name, owner& of, std::uint64_t ticket, wanted_token what, time_point now,
                          grant_effects& out) {
  of.token.clear();
  of.subject = std::move(what.subject);
  of.subject_until = what.subject_until;
  of.waiting.push_back(ticket);
  ++waiting_;
  if (auto place = endpoint_.needed(now))
    out.push_back(fetch_metadata{std::move(*place)});
  unasked_.push_back({name, now});
  ask_next(now, out);
}

void server_tokens::ask(const std::string& name, owner& of, grant_effects& out) {
  questions_.emplace(++last_question_, name);
  out.push_back(request_token{last_question_, endpoint_.url(), grant_fields(rules_), grant_form(rules_, of.subject)});
}

grant_effects server_tokens::document_fetched(std::string_view text, time_point now) {
  return go_on(endpoint_.fetched(text, now), now);
}

grant_effects server_tokens::document_failed(const std::string& why, time_point now) {
  return go_on(endpoint_.failed(why, now), now);
}

grant_effects server_tokens::go_on(std::optional<std::string> next_document, time_point now) {
  grant_effects out;
  if (next_document)
    out.push_back(fetch_metadata{std::move(*next_document)});
  ask_next(now, out);
  return out;
}

void server_tokens::ask_next(time_point now, grant_effects& out) {
  const auto is_known = !endpoint_.url().empty();
  if (!is_known && endpoint_.is_awaited())
    return;
  while (!unasked_.empty() && questions_.size() < most_asked) {
    const auto name = std::move(unasked_.front().name);
    unasked_.pop_front();
    auto& of = owners_.at(name);
    if (is_known)
      ask(name, of, out);
    else
      fail(of, endpoint_.why_not(), now, out);
  }
}

/// Returns null when no request has this number.
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
  of->until = std::min(now + use_of(granted.life), of->subject_until);
  of->subject.clear();
  of->pause.reset();
  of->retry_at = time_point::min();
  waiting_ -= of->waiting.size();
  for (auto ticket : std::exchange(of->waiting, {}))
    out.push_back(deliver_token{ticket, of->token, of->until});
  ask_next(now, out);
  return out;
}

grant_effects server_tokens::failed(std::uint64_t question, const std::string& why, time_point now) {
  grant_effects out;
  if (auto* of = asked(question))
    fail(*of, why, now, out);
  ask_next(now, out);
  return out;
}

void server_tokens::fail(owner& of, const std::string& why, time_point now, grant_effects& out) {
  of.failed_subject = std::hash<std::string>{}(of.subject);
  of.subject.clear();
  of.retry_at = now + of.pause.next();
  of.why_not = "the authorization server gives none: " + why;
  out.push_back(log_note{log_note::weight::warning, "no token for the server", {{"why", why}}});
  waiting_ -= of.waiting.size();
  for (auto ticket : std::exchange(of.waiting, {}))
    out.push_back(report_no_token{ticket, of.why_not});
}

grant_effects server_tokens::tick(time_point now) {
  grant_effects out;
  while (!unasked_.empty() && unasked_.front().since + longest_wait <= now) {
    fail(owners_.at(unasked_.front().name), "too many others wait for one", now, out);
    unasked_.pop_front();
  }
  if (now < look_at_)
    return out;
  for (auto at = owners_.begin(); at != owners_.end();) {
    if (!at->second.rests(now)) {
      ++at;
      continue;
    }
    by_use_.erase(at->second.place);
    at = owners_.erase(at);
  }
  look_at_ = owners_.empty() ? time_point::max() : now + look_pause;
  return out;
}

} // namespace troupe::protocol
