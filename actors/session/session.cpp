#include "actors/session/session.hpp"

#include "actors/session/stream.hpp"
#include "actors/upstream/catalog_upstream.hpp"
#include "protocol/delivery/event_id.hpp"
#include "protocol/delivery/sse_delivery.hpp"
#include "protocol/http/path.hpp"
#include "protocol/refused_for_now.hpp"
#include "protocol/rejection.hpp"
#include "protocol/session_id.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

std::unique_ptr<protocol::delivery> delivery_of(const new_session& what, const session_setup& setup) {
  if (what.via == protocol::transport::http_sse)
    return std::make_unique<protocol::sse_delivery>(protocol::messages_path(what.path, what.id));
  return std::make_unique<protocol::http_delivery>(setup.http, protocol::event_tag(what.id));
}

std::optional<protocol::session_record> record_of(const new_session& what) {
  if (!what.store)
    return std::nullopt;
  return protocol::session_record{.path = what.path};
}

protocol::session machine_for(const new_session& what, const session_setup& setup, protocol::time_point now) {
  return {setup.limits.with_request(what.request), delivery_of(what, setup), now, record_of(what)};
}

/// Few sessions have a life before.
std::unique_ptr<protocol::restored_session> take_restored(new_session& what) {
  return what.restored ? std::make_unique<protocol::restored_session>(std::move(*what.restored)) : nullptr;
}

} // namespace

session_state::session_state(pinned<interface>* self, registry_actor owner, new_session what,
                             std::shared_ptr<const session_setup> setup)
    : self_{self}, owner_{std::move(owner)}, here_{what.id, what.via, what.path, self->address()},
      shown_id_{protocol::shown(here_.id)}, setup_{std::move(setup)}, machine_{machine_for(what, *setup_, now())},
      reminder_{self->at()}, upstream_{std::move(what.server), server_wanted::use::alone, shown_id_},
      members_{std::move(what.members)}, store_{std::move(what.store)},
      holds_lease_{std::move(what.holds_lease)}, term_{std::move(what.term)}, idle_{std::move(what.idle)},
      held_{setup_->http.all_waiting_bytes}, restored_{take_restored(what)} {}

session_actor::behavior_type session_state::make_behavior() {
  self_->at().sessions().add(here_);
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) {
    if (upstream_.leads_to(msg.source))
      lose("the MCP server is gone");
  });
  if (!upstream_.is_known())
    merge();
  setup_->log(log_level::debug, restored_ ? "session is restored" : "session begins", {{"session", shown_id_}});
  if (restored_)
    begin_again();
  return {
      [this](client_post& msg) {
        if (turns_away(msg.broker))
          return;
        auto exchange = adopt(std::move(msg.broker), msg.came);
        apply(machine_.client_sent(exchange, std::move(msg.body), now()));
      },
      [this](from_server& msg) { apply(machine_.server_sent(std::move(msg.message), now())); },
      [this](client_listen& msg) {
        if (turns_away(msg.broker))
          return;
        auto exchange = adopt(std::move(msg.broker), msg.came, msg.came == protocol::came_by::client);
        apply(machine_.client_listens(exchange, msg.last, now()));
      },
      [this](client_delete& msg) {
        if (!turns_away(msg.broker))
          apply(machine_.client_ends(adopt(std::move(msg.broker), msg.came), now()));
      },
      [this](drain& msg) { apply(machine_.drain(msg.why, msg.at_once, now(), msg.for_good)); },
      [this](session_disowned&) {
        if (store_)
          step_down("another node may own it");
      },
      [this](lease_regained& msg) { claim(msg); },
      [this](session_regained&) {
        apply(protocol::effects{});
        apply(machine_.regained(now()));
      },
      [this](session_departs&) {
        if (!is_ours())
          return;
        send_listeners_away();
        apply(machine_.depart("it moves to another node", now()));
      },
      [this](session_released&) { apply(machine_.released(now())); },
      [this](members_changed& msg) {
        if (catalog_)
          self_->send(catalog_, std::move(msg));
      },
      [this](server_given& msg) { upstream_.given(self_, msg); },
      [this](server_lost& msg) { lose(msg.why, msg.is_shortage); },
      [this](report_request& msg) { report(msg.to); },
      [this](tick&) {
        reminder_.arrived();
        apply(machine_.tick(now()));
      },
  };
}

/// What other nodes' clients may have seen has numbers of its own.
void session_state::begin_again() {
  auto effects = machine_.restore(std::move(*restored_), now());
  restored_.reset();
  last_exchange_ = machine_.last_exchange();
  apply(std::move(effects));
}

void session_state::merge() {
  catalog_ = spawn_linked<catalog_upstream_state>(self_, self_->at(), owner_, caf::actor_cast<downstream_actor>(self_),
                                                  shown_id_, setup_->catalog, std::exchange(members_, {}));
}

void session_state::tell_server(protocol::message what) {
  if (catalog_)
    self_->send(catalog_, to_server{std::move(what)});
  else
    upstream_.send(self_, std::move(what));
}

protocol::exchange_id session_state::adopt(broker_actor broker, protocol::came_by came, bool listens_here) {
  self_->link_to(broker);
  linked_.emplace(broker.address(), ++last_exchange_);
  brokers_.emplace(last_exchange_, waiting_broker{std::move(broker), came, listens_here});
  return last_exchange_;
}

/// An answer is on its way: whatever becomes of the broker concerns the session no more.
session_state::waiting_broker session_state::release(protocol::exchange_id exchange) {
  auto node = brokers_.extract(exchange);
  if (node.empty())
    return {};
  self_->unlink_from(node.mapped().broker);
  linked_.erase(node.mapped().broker.address());
  return std::move(node.mapped());
}

void session_state::on_exit_of(const caf::exit_msg& msg) {
  if (catalog_ && msg.source == catalog_.address())
    return lose("the gateway lost the way to its servers");
  auto found = linked_.find(msg.source);
  if (found == linked_.end())
    return quit_if_told(msg);
  auto exchange = found->second;
  linked_.erase(found);
  if (brokers_.erase(exchange) + streams_.erase(exchange) != 0)
    apply(machine_.client_lost(exchange, now()));
}

/// The end of a broker that a stream has taken over may still be on its way; it concerns the session no more.
void session_state::quit_if_told(const caf::exit_msg& msg) {
  if (msg.source == owner_ || msg.source == self_->address())
    self_->quit(msg.reason);
}

void session_state::report(const collector_actor& to) {
  counted result;
  result.part.actors = 1;
  result.part.sessions.push_back(
      {machine_.counts(), machine_.calls_in_flight(), machine_.questions_in_flight(), brokers_.size()});
  result.asked = upstream_.to_report() + (catalog_ ? 1 : 0);
  self_->send(to, std::move(result));
  upstream_.report(self_, to);
  if (catalog_)
    self_->send(catalog_, report_request{to});
}

/// The session knows no other nodes, but another node's clients by their brokers: those stay.
void session_state::send_listeners_away() {
  std::vector<protocol::exchange_id> those;
  for (auto& [exchange, one] : streams_)
    if (one.listens_here)
      those.push_back(exchange);
  apply(machine_.send_away(those, now()));
}

// -- a session that another node may own -------------------------------------------------

bool session_state::is_ours() const { return !store_ || !holds_lease_ || holds_lease_(now()); }

/// Its record is as it is now: one that waits to be written is older. Of a session that never had one no other node
/// knows.
void session_state::claim(const lease_regained& how) {
  if (!store_ || is_ours())
    return;
  auto is_record = [](auto& one) { return std::holds_alternative<protocol::remember>(one); };
  auto record = machine_.write_again(now());
  auto found = std::ranges::find_if(record, is_record);
  if (found == record.end())
    return self_->send(owner_, session_regained{here_.id, how.how.term});
  held_.drop_record();
  self_->send(store_, session_claimed{here_.id, std::move(std::get<protocol::remember>(*found).record), how.how});
}

/// Other nodes may ask the store who has it now.
bool session_state::turns_away(const broker_actor& broker) {
  if (is_ours())
    return false;
  self_->send(broker, http_rejected{protocol::owner_unknown()});
  return true;
}

/// Whoever owns the session now speaks for it. Clients are told to come again, and to the server nothing is said.
void session_state::step_down(std::string_view why) {
  setup_->log(log_level::warning, "session is given up", {{"session", shown_id_}, {"why", std::string{why}}});
  if (store_)
    self_->send(store_, session_given_up{here_.id});
  for (auto& [exchange, to] : brokers_)
    self_->send(to.broker, http_rejected{protocol::session_moves()});
  for (auto& [exchange, to] : streams_)
    self_->send(to.stream, stream_end{});
  leave();
}

void session_state::leave() {
  upstream_.drop(self_);
  self_->quit(caf::exit_reason::user_shutdown);
}

// -- effects -----------------------------------------------------------------------------

void session_state::apply(protocol::effects effects) {
  if (is_ours()) {
    auto before = held_.take();
    carry_out(before);
    carry_out(effects);
  } else {
    held_.add(std::move(effects));
    if (auto why = held_.trouble())
      return step_down(*why);
  }
  reminder_.set(self_->address(), machine_.deadline());
  idle_->tell(machine_.idle_since());
}

void session_state::carry_out(protocol::effects& all) {
  for (auto& effect : all)
    std::visit([this](auto& one) { apply(one); }, effect);
}

void session_state::apply(protocol::forward& effect) { tell_server(std::move(effect.what)); }

void session_state::apply(protocol::reply& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_reply{std::move(effect.text), effect.opens ? here_.id : std::string{}});
}

void session_state::apply(protocol::accept& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_accepted{});
}

void session_state::apply(protocol::reject& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_rejected{std::move(effect.why)});
}

void session_state::apply(protocol::confirm_end& effect) {
  if (auto to = release(effect.exchange).broker)
    self_->send(to, http_ended{});
}

/// The broker goes to its stream, which owns it from here on.
void session_state::apply(protocol::open_stream& effect) {
  auto to = release(effect.exchange);
  if (!to.broker)
    return;
  auto opened = spawn_linked<stream_state>(self_, self_->at(), setup_->keep_alive);
  linked_.emplace(opened.address(), effect.exchange);
  self_->send(opened, stream_attach{std::move(to.broker)});
  streams_.emplace(effect.exchange, own_stream{std::move(opened), to.listens_here});
}

void session_state::apply(protocol::publish& effect) {
  if (auto found = streams_.find(effect.exchange); found != streams_.end())
    self_->send(found->second.stream, stream_publish{protocol::encode(effect.what)});
}

/// A stream that was told to end concerns the session no more.
void session_state::apply(protocol::end_stream& effect) {
  if (auto node = streams_.extract(effect.exchange); !node.empty())
    self_->send(node.mapped().stream, stream_end{});
}

void session_state::apply(protocol::remember& effect) {
  self_->send(store_, session_saved{here_.id, std::move(effect.record), term()});
}

void session_state::apply(protocol::keep_event& effect) {
  self_->send(store_, event_saved{here_.id, std::move(effect.what), term()});
}

/// What comes from now on goes to the registry, and by way of that to the other node.
void session_state::apply(const protocol::hand_over&) {
  self_->at().sessions().remove(here_);
  self_->send(store_, session_handed_over{here_.id, term()});
}

void session_state::apply(protocol::pass_on& effect) {
  if (auto to = release(effect.exchange); to.broker)
    std::visit([&](auto& what) { pass_on(what, std::move(to.broker), to.came); }, effect.what);
}

void session_state::pass_on(protocol::waiting_post& what, broker_actor to, protocol::came_by came) {
  self_->send(owner_, client_post{here_.path, here_.id, std::move(what.body), std::move(to), here_.via, came,
                                  self_->at().number()});
}

void session_state::pass_on(protocol::waiting_listen& what, broker_actor to, protocol::came_by came) {
  self_->send(owner_, client_listen{here_.path, here_.id, std::move(what.last), std::move(to), came});
}

void session_state::pass_on(protocol::waiting_end&, broker_actor to, protocol::came_by came) {
  self_->send(owner_, client_delete{here_.path, here_.id, std::move(to), came});
}

void session_state::apply(protocol::end_session& effect) {
  setup_->log(log_level::info, "session ended", {{"session", shown_id_}, {"why", std::move(effect.why)}});
  if (store_ && !effect.survives)
    self_->send(store_, session_forgotten{here_.id});
  leave();
}

} // namespace troupe::actors
