#include "protocol/connect/stateless_client.hpp"

#include "protocol/message/request_envelope.hpp"

#include <utility>
#include <variant>

namespace troupe::protocol {

namespace {

/// Fixed name: the adapter has a single client and lives as long as the bridge.
constexpr std::string_view only_lease = "connect";

client_profile either_of(const client_profile& one, const client_profile& other) {
  return {.form = one.form || other.form,
          .url = one.url || other.url,
          .sampling = one.sampling || other.sampling,
          .sampling_tools = one.sampling_tools || other.sampling_tools,
          .sampling_context = one.sampling_context || other.sampling_context,
          .roots = one.roots || other.roots};
}

} // namespace

stateless_client::stateless_client(std::string version, state_seal seal)
    : version_{std::move(version)}, seal_{std::move(seal)} {}

/// 2026-07-28 has no responses and no other notifications from clients on stdio.
stateless_client::outcome stateless_client::client_sent(message what, time_point now) {
  outcome out;
  if (is_request(what))
    ask(std::move(what), now, out);
  else if (is_cancellation(what))
    cancel(what, now, out);
  return out;
}

void stateless_client::ask(message&& request, time_point now, outcome& out) {
  auto envelope = read_envelope(request);
  if (auto* bad = std::get_if<rejection>(&envelope))
    return out.lines.push_back(error_text(request.id, bad->code, bad->text));
  auto& said = std::get<request_envelope>(envelope);
  if (under_way_.own_id_of(0, request.id))
    return out.lines.push_back(
        error_text(request.id, error_code::invalid_request, "Invalid Request: a request of this id is in flight"));
  begin(said.can, out);
  const auto own = under_way_.add({request.id});
  stateless_effects adapted;
  adapter_->asked(own, std::move(request), said, now, adapted);
  translate(std::move(adapted), out);
}

/// Begins no new session for a stateless (2026-07-28) server, which gets the client's capabilities with each request.
void stateless_client::begin(const client_profile& can, outcome& out) {
  if (adapter_ &&
      (adapter_->is_passing() || covers(can_, can) || adapter_->calls_in_flight() + adapter_->parked_calls() > 0))
    return;
  if (adapter_) {
    out = end("The client can be asked more: listen again");
    out.is_anew = true;
  }
  can_ = either_of(can_, can);
  adapter_ = std::make_unique<server_as_modern>(server_as_modern_rules{.can = can_,
                                                                       .lease = only_lease,
                                                                       .seal = seal_,
                                                                       .checks_fields = false,
                                                                       .version = version_,
                                                                       .collect = std::chrono::milliseconds{10}});
}

/// Drops the answer to a cancelled request (2026-07-28, cancellation).
void stateless_client::cancel(const message& cancelled, time_point now, outcome& out) {
  const auto own = under_way_.own_id_of(0, cancelled.reference);
  if (!own)
    return;
  under_way_.extract(*own);
  stateless_effects adapted;
  adapter_->withdrawn(*own, now, adapted, "The client cancelled its request");
  translate(std::move(adapted), out);
}

stateless_client::outcome stateless_client::server_sent(message what, time_point now) {
  outcome out;
  stateless_effects adapted;
  if (adapter_)
    adapter_->server_sent(std::move(what), now, adapted);
  translate(std::move(adapted), out);
  return out;
}

stateless_client::outcome stateless_client::tick(time_point now) {
  outcome out;
  stateless_effects adapted;
  if (adapter_)
    adapter_->tick(now, adapted);
  translate(std::move(adapted), out);
  return out;
}

/// Drops the cancellations for the server: its session ends anyway.
stateless_client::outcome stateless_client::end(std::string_view why) {
  outcome out;
  stateless_effects adapted;
  if (adapter_)
    adapter_->end(why, adapted);
  translate(std::move(adapted), out);
  out.for_server.clear();
  adapter_.reset();
  under_way_.extract_all();
  return out;
}

void stateless_client::translate(stateless_effects adapted, outcome& out) {
  for (auto& one : adapted) {
    if (auto* ask = std::get_if<forward_to_server>(&one))
      out.for_server.push_back(std::move(ask->what));
    else if (auto* note = std::get_if<send_notification>(&one); note && under_way_.find(note->exchange))
      out.lines.push_back(std::move(note->text));
    else if (auto* answer = std::get_if<send_response>(&one); answer && under_way_.extract(answer->exchange))
      out.lines.push_back(std::move(answer->text));
  }
}

} // namespace troupe::protocol
