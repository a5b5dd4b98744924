#include "tests/simulation/lease_actor.hpp"

#include "tests/simulation/node.hpp"

#include <utility>
#include <variant>

namespace troupe::tests::simulation {

namespace {

/// Short times, so that runs see their end.
constexpr auto idle_time = 3s;
constexpr auto patience = 1s;
constexpr auto parked_time = 2s;

/// `id` outlives the adapter.
server_as_modern_rules adapter_rules(std::string_view id, bool is_shared, state_seal seal) {
  server_as_modern_rules result;
  result.can.sampling = true;
  result.lease = id;
  result.seal = std::move(seal);
  result.passes = is_shared;
  result.version = "1";
  result.collect = 10ms;
  result.parked = parked_time;
  return result;
}

} // namespace

lease_actor::lease_actor(std::shared_ptr<process> at, node& of, std::string id, std::string owner, lease_key key)
    : actor{at}, node_{of}, id_{std::move(id)}, owner_{std::move(owner)}, key_{std::move(key)},
      machine_{{.idle = key_.empty() ? 0ms : idle_time, .patience = patience},
               adapter_rules(id_, !key_.empty(), of.seal_for(owner_)),
               at->now()},
      exchanges_{[this](exchange_id which) { carry_out(machine_.client_lost(which, now())); }} {}

// -- clients ---------------------------------------------------------------------------------

void lease_actor::submit(request what) {
  post([this, what = std::move(what)]() mutable { handle(what); });
}

/// Returns requests to the registry that arrive before it knows of the end.
void lease_actor::handle(request& what) {
  if (is_retired_ || (machine_.is_closing() && what.session.empty()))
    return node_.registry().submit(std::move(what));
  node_.checks().leases().takes(id_);
  auto envelope = read_envelope(what.body.messages.front());
  if (auto* why = std::get_if<rejection>(&envelope))
    return what.from->tell({.is = answer::kind::rejected, .why = std::move(*why)});
  auto exchange = exchanges_.adopt(what, shared_from_this());
  carry_out(machine_.client_sent(exchange, std::move(what.body.messages.front()), std::get<request_envelope>(envelope),
                                 now()));
}

// -- the server ------------------------------------------------------------------------------

void lease_actor::server_sent(message what) {
  post([this, what = std::move(what)]() mutable { carry_out(machine_.server_sent(std::move(what), now())); });
}

/// The next request starts another one.
void lease_actor::server_lost(const std::string& why) {
  post([this, why] {
    server_ = nullptr;
    carry_out(machine_.server_lost(why, now()));
  });
}

void lease_actor::stop_server() {
  if (auto one = std::exchange(server_, nullptr))
    one->stop();
}

// -- the end ---------------------------------------------------------------------------------

void lease_actor::close(const session_closing& how) {
  post([this, how] { carry_out(machine_.close(how, now())); });
}

void lease_actor::released() {
  post([this] { quit(); });
}

void lease_actor::stop() {
  post([this] {
    stop_server();
    quit();
  });
}

void lease_actor::ended() { exchanges_.clear(); }

void lease_actor::tick() { carry_out(machine_.tick(now())); }

// -- effects ---------------------------------------------------------------------------------

void lease_actor::carry_out(effects all) {
  if (has_ended() || is_retired_)
    return;
  for (auto one = all.begin(); one != all.end();)
    if (auto part = take_stream_part(one, all.end()))
      exchanges_.tell(*part, *this);
    else
      std::visit([this](auto& effect) { perform(effect); }, *one++);
  if (!is_retired_)
    remind(machine_.deadline());
}

void lease_actor::perform(forward& effect) {
  if (!server_)
    server_ = std::make_shared<server_actor>(home(), std::static_pointer_cast<lease_actor>(shared_from_this()), id_,
                                             node_.habits(), node_.checks());
  if (effect.what.is_method("tools/call"))
    node_.checks().runs(string_param(effect.what, "token"));
  server_->receive(std::move(effect.what));
}

void lease_actor::perform(reply& effect) {
  exchanges_.answer(effect.exchange, {.is = answer::kind::reply, .text = std::move(effect.text)}, *this);
}

void lease_actor::perform(reject& effect) {
  exchanges_.answer(effect.exchange, {.is = answer::kind::rejected, .why = std::move(effect.why)}, *this);
}

void lease_actor::perform(end_session& effect) {
  at().note("ends lease " + shown(id_), effect.why);
  node_.checks().leases().ends(id_);
  stop_server();
  if (node_.has(planted::lease_kept))
    return;
  is_retired_ = true;
  node_.registry().lease_ended(id_);
}

} // namespace troupe::tests::simulation
