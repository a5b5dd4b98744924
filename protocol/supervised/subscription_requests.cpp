#include "protocol/supervised/subscription_requests.hpp"

#include "protocol/message/message.hpp"
#include "protocol/subscription_limits.hpp"

#include <string>
#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

using call_kind = relayed_call::kind;

subscriptions::outcome outcome_of(const message& answer) {
  return has_result(answer) ? subscriptions::outcome::granted : subscriptions::outcome::refused;
}

} // namespace

subscription_requests::subscription_requests(const supervision_rules& rules, server_users& users, server_calls& calls)
    : rules_{rules}, users_{users}, calls_{calls}, all_{rules.subscriptions} {}

// -- from users ----------------------------------------------------------------------------

bool subscription_requests::takes(const message& request) {
  return request.is_method("resources/subscribe") || request.is_method("resources/unsubscribe");
}

/// A request without a URI is sent on as it is: the server says what is wrong with it.
void subscription_requests::take(user_id user, message&& request, time_point now, server_effects& out) {
  auto uri = string_param(request, "uri");
  auto subscribes = request.is_method("resources/subscribe");
  if (uri.empty())
    return calls_.send({.user = user}, std::move(request), now, out);
  if (uri.size() > longest_subscribed_uri) {
    std::string_view why = "The URI is too long to be subscribed to";
    return users_.answer(user, own_message(error_text(request.id, error_code::invalid_params, why)), out);
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

void subscription_requests::take_answer(const relayed_call& asked, const message& answer, time_point now,
                                        server_effects& out) {
  auto has_asker = asked.is == call_kind::subscription;
  if (has_asker)
    users_.answer(asked.user, relayed(answer, asked.id, {}), out);
  if (has_asker && rules_.dedicated)
    return note_answer(asked, answer);
  carry_out(all_.answered(asked.uri, outcome_of(answer)), now, out, answer);
}

/// The user of a dedicated server gets every answer from it; only what to tell the next server is kept here.
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
  auto failure = own_message(error_text("0", error_code::internal_error, why));
  if (!asked.uri.empty() && (asked.is == call_kind::ours || !rules_.dedicated))
    carry_out(all_.answered(asked.uri, subscriptions::outcome::unknown), now, out, failure);
}

void subscription_requests::publish(const message& update, server_effects& out) const {
  for (auto user : all_.subscribers(string_param(update, "uri")))
    out.push_back(tell_user{user, update});
}

void subscription_requests::server_lost(std::string_view why, time_point now, server_effects& out) {
  auto failure = own_message(error_text("0", error_code::internal_error, why));
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
    void operator()(grant_subscription& it) { self.users_.answer(it.user, own_message(empty_result(it.id)), out); }
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
