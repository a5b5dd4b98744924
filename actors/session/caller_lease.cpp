#include "actors/session/caller_lease.hpp"

#include "actors/session/session_servers.hpp"
#include "protocol/ids.hpp"

#include <chrono>
#include <string_view>
#include <utility>

namespace troupe::actors {

namespace {

/// `id` outlives the adapter.
protocol::server_as_modern_rules face_rules_of(std::string_view id, const new_session& what,
                                               const std::shared_ptr<const session_setup>& setup) {
  protocol::server_as_modern_rules result;
  result.can = what.can;
  result.lease = id;
  result.seal = seal_for(what.caller, setup);
  result.passes = what.passes;
  result.seals_tasks = what.caller != nullptr;
  result.version = TROUPE_VERSION;
  result.calls = setup->limits.calls;
  result.collect = std::chrono::milliseconds{10};
  result.parked = setup->limits.question;
  return result;
}

} // namespace

caller_lease_state::caller_lease_state(pinned<interface>* self, registry_actor owner, new_session what,
                                       std::shared_ptr<const session_setup> with)
    : caller_frame{self, std::move(owner), what, std::move(with)}, key_{std::move(what.key)},
      is_anonymous_remote_{what.is_anonymous_remote}, rights_{rights_key(what.caller)},
      machine_{{what.lease_time, setup()->http.patience}, face_rules_of(here().id, what, setup()), now(), observer()},
      metrics_{self->at()} {
  note_begin(setup()->log, "lease begins", here().id, what.request_id);
}

/// No store keeps a lease, and messages about that have no effect.
session_actor::behavior_type caller_lease_state::make_behavior() {
  begin();
  if (!key_.empty())
    self()->at().sessions().add(here(), key_);
  remind();
  report_use();
  auto has_no_streams = [this](auto& msg) { self()->send(msg.broker, http_rejected{protocol::session_not_found()}); };
  return behavior_with<session_disowned, tenure_regained, session_regained, session_departs, session_released,
                       session_gone>(
      [this](client_post& msg) { handle(msg); }, [has_no_streams](client_listen& msg) { has_no_streams(msg); },
      [has_no_streams](client_delete& msg) { has_no_streams(msg); }, [this](close_session& msg) { close(msg.how); });
}

/// A retry finds its lease by id, whatever its rights. Where access rules depend on rights, callers with other rights
/// have their own lease. Local and remote anonymous clients both have no name, but neither may use a lease that the
/// other has begun.
std::optional<protocol::rejection> caller_lease_state::refuse(const client_post& msg) const {
  if (msg.head.is_anonymous_remote != is_anonymous_remote_)
    return protocol::state_refused(msg.body.messages.front().id);
  if (auto why = servers().refuse(msg.body, msg.head.caller, setup()->scopes))
    return why;
  if (servers().is_guarded() && rights_key(msg.head.caller) != rights_)
    return protocol::state_refused(msg.body.messages.front().id);
  return std::nullopt;
}

/// Drops the key first: the next request with it gets another lease.
void caller_lease_state::close(const protocol::session_closing& how) {
  forget_key();
  carry_out(machine_.close(how, now()));
}

/// A lease that accepts no new calls returns them, as after its end. A retry names its lease, and stays.
void caller_lease_state::handle(client_post& msg) {
  if (machine_.is_closing() && msg.head.session.empty())
    return self()->send(owner(), std::move(msg));
  if (auto why = refuse(msg))
    return self()->send(msg.broker, http_rejected{std::move(*why)});
  asks(msg.head.caller);
  auto request = std::move(msg.body.messages.front());
  sign(request, msg.head.caller);
  if (servers().is_guarded())
    request = servers().without_hidden(std::move(request), msg.head.caller);
  show_of_client(request);
  auto exchange = records().adopt(msg, request.is_method("subscriptions/listen"));
  records().begin(request);
  carry_out(machine_.client_sent(exchange, std::move(request), *msg.envelope, now()));
}

void caller_lease_state::handle(from_server& said) {
  handle(std::move(said.message));
  for (auto& what : said.more)
    handle(std::move(what));
}

void caller_lease_state::handle(protocol::message&& what) {
  show_of_server(what);
  auto about = protocol::is_request(what) ? servers().calls_of(what) : std::nullopt;
  carry_out(machine_.server_sent(std::move(what), now(), about));
}

void caller_lease_state::lost(server_lost& what) {
  if (servers().are_over())
    close({.why = std::move(what.why), .at_once = true});
  else
    carry_out(machine_.server_lost(what.why, now()));
}

void caller_lease_state::count(protocol::state_report& to) const {
  auto& adapter = machine_.adapter();
  to.leases.push_back({adapter.calls_in_flight(), adapter.parked_calls(), adapter.listens()});
}

void caller_lease_state::count(protocol::live_session& to) const {
  const auto& adapter = machine_.adapter();
  to.listens = adapter.listens();
  to.questions = adapter.parked_calls();
}

void caller_lease_state::perform(protocol::end_session& effect) {
  setup()->log(log_level::debug, "lease ended",
               {{"session", protocol::shown(here().id)}, {"why", std::move(effect.why)}});
  forget_key();
  retire();
}

} // namespace troupe::actors
