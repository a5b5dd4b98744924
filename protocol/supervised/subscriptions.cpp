#include "protocol/supervised/subscriptions.hpp"

#include "protocol/message/subscribed_uris.hpp"

#include <iterator>

namespace troupe::protocol {

namespace {

bool subscribes(const message& one) { return one.is_method("resources/subscribe"); }

using call_kind = relayed_call::kind;

subscriptions::outcome outcome_of(const message& answer) {
  return has_result(answer) ? subscriptions::outcome::granted : subscriptions::outcome::refused;
}

} // namespace

bool subscriptions::full(user_id user) const { return claims_.of(user) >= limit_; }

// -- users -------------------------------------------------------------------------

subscription_steps subscriptions::asked(user_id user, message what, const std::string& uri) {
  subscription_steps out;
  requesters_.insert(user);
  auto at = all_.try_emplace(uri).first;
  if (subscribes(what))
    claims_.add(user);
  if (at->second.subscribing || at->second.unsubscribing)
    wait(at, user, std::move(what));
  else
    handle(at, user, std::move(what), out);
  settle(at, out);
  return out;
}

void subscriptions::wait(place at, user_id user, message what) {
  auto& queue = at->second.queue;
  queue.push_back({user, std::move(what)});
  waiting_.insert_or_assign({user, queue.back().what.id}, waiting_place{at, std::prev(queue.end())});
}

subscriptions::waiting subscriptions::extract_waiting(subscription& one, waiting_list::iterator which) {
  waiting_.erase({which->user, which->what.id});
  auto result = std::move(*which);
  one.queue.erase(which);
  return result;
}

void subscriptions::handle(place at, user_id user, message what, subscription_steps& out) {
  if (subscribes(what))
    subscribe(at, user, std::move(what), out);
  else
    unsubscribe(at, user, std::move(what), out);
}

void subscriptions::subscribe(place at, user_id user, message what, subscription_steps& out) {
  auto& one = at->second;
  if (one.at_server) {
    hold(one, user);
    out.push_back(grant_subscription{user, std::move(what.id)});
    return;
  }
  one.subscribing = one.has_requester = true;
  one.requester = user;
  out.push_back(pass_subscription{user, std::move(what), at->first});
}

void subscriptions::unsubscribe(place at, user_id user, message what, subscription_steps& out) {
  auto& one = at->second;
  auto held = one.holders.erase(user) != 0;
  if (held)
    claims_.remove(user);
  if (!held || !one.holders.empty()) {
    out.push_back(grant_subscription{user, std::move(what.id)});
    return;
  }
  one.unsubscribing = one.has_requester = true;
  one.requester = user;
  out.push_back(pass_subscription{user, std::move(what), at->first});
}

void subscriptions::abandoned(user_id user, const std::string& uri) {
  auto at = all_.find(uri);
  if (at == all_.end() || !at->second.has_requester || at->second.requester != user)
    return;
  at->second.has_requester = false;
  if (at->second.subscribing)
    claims_.remove(user);
}

bool subscriptions::withdrawn(user_id user, std::string_view id) {
  auto found = waiting_.find({user, std::string{id}});
  if (found == waiting_.end())
    return false;
  auto [at, in_queue] = found->second;
  if (subscribes(extract_waiting(at->second, in_queue).what))
    claims_.remove(user);
  return true;
}

std::vector<std::pair<user_id, message>> subscriptions::extract_all_waiting() {
  std::vector<std::pair<user_id, message>> result;
  for (auto& [uri, one] : all_)
    while (!one.queue.empty()) {
      auto first = extract_waiting(one, one.queue.begin());
      if (subscribes(first.what))
        claims_.remove(first.user);
      result.emplace_back(first.user, std::move(first.what));
    }
  return result;
}

subscription_steps subscriptions::left(user_id user) {
  subscription_steps out;
  if (requesters_.erase(user) == 0)
    return out;
  for (auto at = all_.begin(); at != all_.end();) {
    auto next = std::next(at);
    drop_waiting(at->second, user);
    at->second.holders.erase(user);
    if (at->second.has_requester && at->second.requester == user)
      at->second.has_requester = false;
    settle(at, out);
    at = next;
  }
  claims_.forget(user);
  return out;
}

void subscriptions::drop_waiting(subscription& one, user_id user) {
  for (auto it = one.queue.begin(); it != one.queue.end();)
    if (auto here = it++; here->user == user)
      extract_waiting(one, here);
}

// -- the server -----------------------------------------------------------------------

subscription_steps subscriptions::answered(const std::string& uri, outcome how) {
  subscription_steps out;
  auto at = all_.find(uri);
  if (at == all_.end())
    return out;
  auto& one = at->second;
  if (std::exchange(one.unsubscribing, false))
    one.at_server = one.has_requester = false;
  else if (std::exchange(one.subscribing, false))
    end_subscribing(one, how, out);
  while (!one.subscribing && !one.unsubscribing && !one.queue.empty()) {
    auto first = extract_waiting(one, one.queue.begin());
    handle(at, first.user, std::move(first.what), out);
  }
  settle(at, out);
  return out;
}

/// An unknown result counts as a subscription at the server, which is undone once no user holds it.
void subscriptions::end_subscribing(subscription& one, outcome how, subscription_steps& out) {
  auto asked = std::exchange(one.has_requester, false);
  one.at_server = how != outcome::refused;
  if (asked && how == outcome::granted)
    hold(one, one.requester);
  else if (asked)
    claims_.remove(one.requester);
  if (how == outcome::granted)
    return;
  if (how == outcome::refused)
    for (auto holder : std::exchange(one.holders, {}))
      claims_.remove(holder);
  for (auto it = one.queue.begin(); it != one.queue.end();) {
    auto here = it++;
    if (!subscribes(here->what))
      continue;
    auto failed = extract_waiting(one, here);
    claims_.remove(failed.user);
    out.push_back(fail_subscription{failed.user, std::move(failed.what.id)});
  }
}

/// Unsubscribes from a URI that no user holds, and removes entries without subscription or request.
void subscriptions::settle(place at, subscription_steps& out) {
  auto& one = at->second;
  if (one.subscribing || one.unsubscribing || !one.holders.empty())
    return;
  if (!one.at_server) {
    all_.erase(at);
    return;
  }
  one.unsubscribing = true;
  out.push_back(ask_subscription{at->first, false});
}

subscription_steps subscriptions::lost() {
  subscription_steps out;
  for (auto& [user, what] : extract_all_waiting())
    out.push_back(fail_subscription{user, std::move(what.id)});
  for (auto at = all_.begin(); at != all_.end();) {
    auto& one = at->second;
    if (one.subscribing && one.has_requester)
      claims_.remove(one.requester);
    one.at_server = one.subscribing = one.unsubscribing = one.has_requester = false;
    at = one.holders.empty() ? all_.erase(at) : std::next(at);
  }
  return out;
}

subscription_steps subscriptions::replayed() {
  subscription_steps out;
  for (auto& [uri, one] : all_) {
    one.subscribing = true;
    out.push_back(ask_subscription{uri, true, *one.holders.begin()});
  }
  return out;
}

// -- holders and limits -------------------------------------------------------------------

void subscriptions::hold(subscription& one, user_id user) {
  if (!one.holders.insert(user).second)
    claims_.remove(user);
}

void subscriptions::remember(user_id user, const std::string& uri) {
  auto& one = all_[uri];
  requesters_.insert(user);
  one.at_server = true;
  if (one.holders.insert(user).second)
    claims_.add(user);
}

void subscriptions::forget(user_id user, const std::string& uri) {
  auto at = all_.find(uri);
  if (at == all_.end() || at->second.holders.erase(user) == 0)
    return;
  claims_.remove(user);
  if (at->second.holders.empty() && !at->second.subscribing)
    all_.erase(at);
}

std::set<user_id> subscriptions::subscribers(std::string_view uri) const {
  std::set<user_id> result;
  for (auto part : enclosing_uris(uri))
    if (auto found = all_.find(part); found != all_.end())
      result.insert(found->second.holders.begin(), found->second.holders.end());
  return result;
}

subscription_requests::subscription_requests(const supervision_rules& rules, server_users& users, server_calls& calls)
    : rules_{rules}, users_{users}, calls_{calls}, all_{rules.subscriptions} {}

// -- from users ----------------------------------------------------------------------------

bool subscription_requests::handles(const message& request) {
  return request.is_method("resources/subscribe") || request.is_method("resources/unsubscribe");
}

/// Forwards a request without a URI unchanged, for the server to report the error.
void subscription_requests::receive_request(user_id user, message&& request, time_point now, server_effects& out) {
  auto uri = string_param(request, "uri");
  auto subscribes = request.is_method("resources/subscribe");
  if (uri.empty())
    return calls_.send({.user = user}, std::move(request), now, out);
  if (uri.size() > longest_subscribed_uri) {
    std::string_view why = "The URI is too long to be subscribed to";
    return users_.answer(user, gateway_message(error_text(request.id, error_code::invalid_params, why)), out);
  }
  if (subscribes && all_.full(user))
    return users_.fail(user, request.id, too_many_subscriptions, out);
  if (!rules_.dedicated)
    return carry_out(all_.asked(user, std::move(request), uri), now, out);
  relayed_call one{.is = call_kind::subscription, .subscribes = subscribes, .user = user, .uri = std::move(uri)};
  calls_.send(std::move(one), std::move(request), now, out);
}

bool subscription_requests::cancel(std::uint64_t own) {
  auto asked = calls_.find(own);
  if (asked->is != call_kind::subscription || rules_.dedicated)
    return false;
  all_.abandoned(asked->user, asked->uri);
  calls_.disown(own);
  return true;
}

// -- from the server -----------------------------------------------------------------------

void subscription_requests::receive_response(const relayed_call& asked, const message& answer, time_point now,
                                             server_effects& out) {
  auto has_requester = asked.is == call_kind::subscription;
  if (has_requester)
    users_.answer(asked.user, relayed(answer, asked.id, {}), out);
  if (has_requester && rules_.dedicated)
    return note_answer(asked, answer);
  carry_out(all_.answered(asked.uri, outcome_of(answer)), now, out, answer);
}

/// Records the subscriptions of a dedicated server, only to repeat them to its successor; its user gets every answer.
void subscription_requests::note_answer(const relayed_call& asked, const message& answer) {
  if (!has_result(answer))
    return;
  if (asked.subscribes)
    all_.remember(asked.user, asked.uri);
  else
    all_.forget(asked.user, asked.uri);
}

void subscription_requests::timed_out(const relayed_call& asked, std::string_view why, time_point now,
                                      server_effects& out) {
  auto failure = gateway_message(error_text("0", error_code::internal_error, why));
  if (!asked.uri.empty() && (asked.is == call_kind::ours || !rules_.dedicated))
    carry_out(all_.answered(asked.uri, subscriptions::outcome::unknown), now, out, failure);
}

void subscription_requests::publish(const message& update, server_effects& out) const {
  for (auto user : all_.subscribers(string_param(update, "uri")))
    out.push_back(send_to_user{user, update});
}

void subscription_requests::server_lost(std::string_view why, time_point now, server_effects& out) {
  auto failure = gateway_message(error_text("0", error_code::internal_error, why));
  failure.outcome = {call_outcome::kind::lost};
  carry_out(all_.lost(), now, out, failure);
}

// -- steps ---------------------------------------------------------------------------------

void subscription_requests::carry_out(subscription_steps steps, time_point now, server_effects& out,
                                      const message& failure) {
  struct performer {
    void operator()(pass_subscription& it) {
      auto subscribes = it.what.is_method("resources/subscribe");
      relayed_call one{
          .is = call_kind::subscription, .subscribes = subscribes, .user = it.user, .uri = std::move(it.uri)};
      self.calls_.send(std::move(one), std::move(it.what), now, out, self.users_.envelope_of(it.user));
    }
    void operator()(ask_subscription& it) {
      auto method = it.subscribes ? "resources/subscribe" : "resources/unsubscribe";
      auto params = R"({"uri":)" + quoted(it.uri) + "}";
      self.calls_.send_ours({.subscribes = it.subscribes, .uri = std::move(it.uri)}, method, params, now, out,
                            self.users_.envelope_of(it.user));
    }
    void operator()(grant_subscription& it) { self.users_.answer(it.user, gateway_message(empty_result(it.id)), out); }
    void operator()(fail_subscription& it) { self.users_.answer(it.user, relayed(failure, it.id, {}), out); }

    subscription_requests& self;
    time_point now;
    server_effects& out;
    const message& failure;
  };
  for (auto& step : steps)
    std::visit(performer{*this, now, out, failure}, step);
}

} // namespace troupe::protocol
