#include "protocol/remote/remote_connection.hpp"

#include "protocol/remote/remote_sse.hpp"
#include "protocol/remote/remote_stateless.hpp"
#include "protocol/remote/remote_streamable.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

remote_server::remote_server(remote_options options, std::uint64_t seed)
    : options_{std::move(options)}, caller_{options_.headers},
      dialogue_{options_.held, options_.era == server_era::automatic}, seed_{seed}, transport_{with_sessions()} {}

/// Tries Streamable HTTP first (2025-11-25, transports, "Backwards Compatibility").
std::unique_ptr<http_transport> remote_server::with_sessions() {
  if (options_.kind == remote_kind::http_sse)
    return over_sse();
  return std::make_unique<remote_streamable>(options_, caller_, dialogue_, seed_);
}

std::unique_ptr<http_transport> remote_server::over_sse() {
  return std::make_unique<remote_sse>(options_, caller_, dialogue_);
}

remote_effects remote_server::client_sent(message from, time_point now) {
  return effects_of(now, [&](auto& out) {
    if (from.is_method("server/discover") && !dialogue_.begun() && options_.era != server_era::session)
      open_stateless(out);
    dialogue_.user_sent(std::move(from), out);
  });
}

void remote_server::open_stateless(remote_effects& out) {
  if (dialogue_.opened())
    return;
  transport_->drop_all(out);
  note_refusal();
  transport_ = std::make_unique<remote_stateless>(options_, caller_, dialogue_);
  dialogue_.open_stateless();
}

void remote_server::note_refusal() {
  if (auto why = transport_->possible_mismatch(); !why.empty())
    possible_mismatch_ = std::move(why);
}

remote_effects remote_server::start_again(time_point now) {
  return effects_of(now, [&](auto& out) {
    transport_->drop_all(out);
    note_refusal();
    transport_ = possible_mismatch_.empty() ? with_sessions() : over_sse();
    dialogue_.restart_initialize(possible_mismatch_);
  });
}

remote_effects remote_server::receive_event(const call_event& news, time_point now) {
  return effects_of(now, [&](auto& out) {
    const auto* failure = std::get_if<call_failed>(&news.what);
    dialogue_.meets_shortage(failure && failure->is_shortage);
    std::visit([&](auto& what) { transport_->receive_event(news.call, what, now, out); }, news.what);
    dialogue_.meets_shortage(false);
  });
}

void remote_server::call_waits(http_call_id call) {
  if (!over())
    transport_->waits(call);
}

remote_effects remote_server::credentials_lost(const std::string& why, time_point now) {
  return effects_of(now, [&](auto& out) { dialogue_.lose(no_token_text(why), out); });
}

remote_effects remote_server::give_up(const std::string& why, time_point now) {
  return effects_of(now, [&](auto& out) { dialogue_.lose(why, out); });
}

remote_effects remote_server::tick(time_point now) {
  return effects_of(now, [&](auto& out) { transport_->tick(now, out); });
}

time_point remote_server::deadline() const { return over() ? time_point::max() : transport_->deadline(); }

remote_effects remote_server::leave() {
  remote_effects out;
  if (over())
    return out;
  left_ = true;
  transport_->drop_all(out);
  transport_->end_session(out);
  return out;
}

template <class Fact>
remote_effects remote_server::effects_of(time_point now, Fact fact) {
  remote_effects out;
  if (over())
    return out;
  fact(out);
  settle(now, out);
  return out;
}

/// Performs the follow-up of a fact: switches the transport, sends waiting messages, or ends the session.
void remote_server::settle(time_point now, remote_effects& out) {
  while (!dialogue_.lost()) {
    if (auto why = transport_->transport_mismatch(); !why.empty()) {
      transport_->drop_all(out);
      transport_ = over_sse();
      dialogue_.start_again(why);
    }
    if (dialogue_.begun())
      transport_->begin(now, out);
    if (dialogue_.lost())
      break;
    if (!transport_->ready() || !dialogue_.has_next())
      return;
    transport_->post(dialogue_.next(), now, out);
  }
  transport_->drop_all(out);
  out.push_back(lose_server{dialogue_.why_lost(), dialogue_.lost_by_shortage(), dialogue_.expired()});
}

remote_connection::remote_connection(const remote_options& options, server_as_legacy_rules adapter, std::uint64_t seed)
    : server_{options, seed} {
  if (adapter.era != server_era::session)
    adapter_.emplace(std::move(adapter));
}

remote_connection::effects remote_connection::user_sent(message what, time_point now, envelope_of_user envelope) {
  if (adapter_)
    carry_out(adapter_->user_sent(std::move(what), now, std::move(envelope)), now);
  else
    carry_out(server_.client_sent(std::move(what), now));
  return settled(now);
}

remote_connection::effects remote_connection::receive_event(const call_event& news, time_point now) {
  carry_out(server_.receive_event(news, now));
  return settled(now);
}

remote_connection::effects remote_connection::credentials_lost(const std::string& why, time_point now) {
  carry_out(server_.credentials_lost(why, now));
  return settled(now);
}

remote_connection::effects remote_connection::tick(time_point now) {
  carry_out(server_.tick(now));
  process(now); // what the server sent may be what the adapter waits for
  if (adapter_)
    carry_out(adapter_->tick(now), now);
  return settled(now);
}

remote_connection::effects remote_connection::leave() {
  carry_out(server_.leave());
  return std::exchange(out_, {});
}

time_point remote_connection::deadline() const {
  return adapter_ ? std::min(server_.deadline(), adapter_->deadline()) : server_.deadline();
}

/// Loops, because an effect of `adapter_` may make `server_` add further messages.
void remote_connection::process(time_point now) {
  for (; !unprocessed_.empty(); unprocessed_.pop_front())
    std::visit([this, now](auto& one) { settle(one, now); }, unprocessed_.front());
}

remote_connection::effects remote_connection::settled(time_point now) {
  process(now);
  if (adapter_ && adapter_->is_transparent())
    adapter_.reset();
  return std::exchange(out_, {});
}

void remote_connection::settle(deliver_message& said, time_point now) {
  if (adapter_)
    carry_out(adapter_->server_sent(std::move(said.what), now, said.concerns), now);
  else
    out_.emplace_back(deliver_to_user{std::move(said.what)});
}

void remote_connection::settle(lose_server& how, time_point now) {
  if (adapter_)
    carry_out(adapter_->server_lost(now, how.is_shortage, how.why), now);
  out_.emplace_back(std::move(how));
}

void remote_connection::carry_out(remote_effects all) {
  for (auto& one : all)
    std::visit([this](auto& effect) { perform(std::move(effect)); }, one);
}

void remote_connection::carry_out(adapter_effects all, time_point now) {
  for (auto& one : all)
    std::visit([this, now](auto& effect) { perform(std::move(effect), now); }, one);
}

} // namespace troupe::protocol
