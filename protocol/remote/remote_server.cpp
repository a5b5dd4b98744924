#include "protocol/remote/remote_server.hpp"

#include "protocol/remote/remote_sse.hpp"
#include "protocol/remote/remote_stateless.hpp"
#include "protocol/remote/remote_streamable.hpp"

#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_reason = 500;
const std::string no_token = "No token for the remote MCP server: ";

} // namespace

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
  return told(now, [&](auto& out) {
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
  if (auto why = transport_->perhaps_mistaken(); !why.empty())
    perhaps_mistaken_ = std::move(why);
}

remote_effects remote_server::start_again(time_point now) {
  return told(now, [&](auto& out) {
    transport_->drop_all(out);
    note_refusal();
    transport_ = perhaps_mistaken_.empty() ? with_sessions() : over_sse();
    dialogue_.restart_initialize(perhaps_mistaken_);
  });
}

remote_effects remote_server::call_told(const call_event& news, time_point now) {
  return told(now, [&](auto& out) { std::visit([&](auto& what) { receive(what, news.call, now, out); }, news.what); });
}

void remote_server::call_waits(http_call_id call) {
  if (!over())
    transport_->waits(call);
}

void remote_server::receive(const call_begun&, http_call_id call, time_point now, remote_effects&) {
  transport_->begun(call, now);
}

void remote_server::receive(const call_head& head, http_call_id call, time_point now, remote_effects& out) {
  transport_->head(call, head.status, head.fields, now, out);
}

void remote_server::receive(const call_body& body, http_call_id call, time_point now, remote_effects& out) {
  transport_->body(call, body.bytes, now, out);
}

void remote_server::receive(const call_ended&, http_call_id call, time_point now, remote_effects& out) {
  transport_->ended(call, now, out);
}

void remote_server::receive(const call_failed& how, http_call_id call, time_point now, remote_effects& out) {
  dialogue_.meets_shortage(how.is_shortage);
  transport_->failed(call, how.why, now, out);
  dialogue_.meets_shortage(false);
}

void remote_server::receive(const call_withheld& how, http_call_id call, time_point now, remote_effects& out) {
  transport_->withheld(call, no_token + one_line(how.why, longest_reason), now, out);
}

remote_effects remote_server::credentials_lost(const std::string& why, time_point now) {
  return told(now, [&](auto& out) { dialogue_.lose(no_token + one_line(why, longest_reason), out); });
}

remote_effects remote_server::give_up(const std::string& why, time_point now) {
  return told(now, [&](auto& out) { dialogue_.lose(why, out); });
}

remote_effects remote_server::tick(time_point now) {
  return told(now, [&](auto& out) { transport_->tick(now, out); });
}

time_point remote_server::deadline() const { return over() ? time_point::max() : transport_->deadline(); }

remote_effects remote_server::leave() {
  remote_effects out;
  if (over())
    return out;
  left_ = true;
  transport_->drop_all(out);
  transport_->farewell(out);
  return out;
}

template <class Fact>
remote_effects remote_server::told(time_point now, Fact fact) {
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
    if (auto why = transport_->mistaken(); !why.empty()) {
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

} // namespace troupe::protocol
