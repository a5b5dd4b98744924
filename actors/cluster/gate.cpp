#include "actors/cluster/gate.hpp"

#include "actors/cluster/forwarded_requests.hpp"
#include "actors/relayed.hpp"
#include "actors/runtime/direct.hpp"
#include "actors/runtime/unit.hpp"
#include "protocol/cluster/event_flow.hpp"
#include "protocol/cluster/forwarded_exchange.hpp"
#include "protocol/metrics/metric.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

/// RELAY: the broker of an exchange whose connection is at another node. Forwards the answer to that node's ROUTER, and
/// exits with the answer, or without one if the client or its node is gone.
class relay_state {
public:
  using interface = relay_actor;
  static constexpr const char* name = "relay";
  using kind = relay_answer::kind;

  /// `unheld` answers a request that no session has received.
  relay_state(direct* self, remote_router_actor to, std::uint64_t exchange, protocol::rejection unheld)
      : self_{self}, to_{std::move(to)}, exchange_{exchange}, unheld_{std::move(unheld)},
        counted_{share_of(self->at(), protocol::metric::relayed, {"here"}, 1)} {}

  /// Reports `lost` if no answer came from an actor that held the request: it may have run.
  ~relay_state() {
    if (finished_)
      return;
    if (is_held_)
      tell({.is = kind::lost});
    else
      tell({.is = kind::rejected, .why = std::move(unheld_)});
  }

  void handle(http_reply& msg) {
    finish({.is = kind::reply,
            .text = std::move(msg.text),
            .session = std::move(msg.session),
            .report = std::move(msg.report)});
  }

  void handle(const http_accepted&) { finish({.is = relay_answer::kind::accepted}); }
  void handle(const http_ended&) { finish({.is = relay_answer::kind::ended}); }
  void handle(http_rejected& msg) { finish({.is = relay_answer::kind::rejected, .why = std::move(msg.why)}); }

  void handle(sse_begin& msg) {
    tell({.is = kind::begin});
    publish(std::move(msg.text));
    if (msg.is_complete)
      finish({.is = kind::end, .report = std::move(msg.report)});
  }

  void handle(sse_event& msg) { publish(std::move(msg.text)); }

  void handle(sse_end& msg) {
    publish(std::move(msg.text));
    finish({.is = kind::end, .report = std::move(msg.report)});
  }

  void handle(const request_held& msg) { is_held_ = msg.is_so; }

  void handle(const relay_taken& msg) { unread_.taken(msg.bytes); }

  void handle(const relay_closed&) {
    finished_ = true;
    self_->quit();
  }

private:
  /// Sends without a sender: otherwise CAF would announce this actor to the other node for nothing.
  void tell(relay_answer what) {
    what.exchange = exchange_;
    caf::anon_send(to_, std::move(what));
  }

  void finish(relay_answer what) {
    if (std::exchange(finished_, true))
      return;
    tell(std::move(what));
    self_->quit();
  }

  /// Sends events. A client that does not read loses its connection; its session keeps the missed events.
  void publish(std::string text) {
    if (text.empty() || finished_)
      return;
    if (!unread_.sent(text.size()))
      return finish({.is = kind::end});
    tell({.is = kind::event, .text = std::move(text)});
  }

  direct* self_;
  remote_router_actor to_;
  std::uint64_t exchange_;
  protocol::rejection unheld_;
  bool is_held_ = false;
  bool finished_ = false;
  protocol::unacknowledged_events unread_;
  protocol::metric_share counted_;
};

bool has_session_transport(const relay_request& one) {
  return one.head.via == protocol::transport::streamable_http || one.head.via == protocol::transport::http_sse;
}

/// True if the request fits its transport: a stateless (2026-07-28) request is alone and carries client information.
bool fits_its_era(const relay_request& post) {
  auto& all = post.body.messages;
  if (!post.body.batch && all.size() != 1)
    return false;
  if (has_session_transport(post))
    return !post.envelope;
  return post.head.via == protocol::transport::stateless && post.envelope && !post.body.batch &&
         protocol::is_request(all.front());
}

/// True if the content of a request is valid. Deserialization checks only its format.
bool is_whole(const relay_request& one) {
  using kind = relay_request::kind;
  if (one.is == kind::operate)
    return !one.order.target.empty();
  if (one.is == kind::listen || one.is == kind::end)
    return !one.head.session.empty() && has_session_transport(one);
  return one.is == kind::post && !one.body.messages.empty() && fits_its_era(one) &&
         std::ranges::all_of(one.body.messages, protocol::has_ids_in_place);
}

} // namespace

gate_state::gate_state(pinned<interface>* self, caf::actor_addr owner, cluster_actor cluster, registry_actor registry,
                       std::vector<unit*> units, token_keeper keep_token)
    : self_{self}, owner_{std::move(owner)}, cluster_{std::move(cluster)}, registry_{std::move(registry)},
      units_{std::move(units)}, keep_token_{std::move(keep_token)} {}

local_gate_actor::behavior_type gate_state::make_behavior() {
  self_->set_exit_handler([this](caf::exit_msg& msg) { on_exit_of(msg); });
  self_->set_down_handler([this](caf::down_msg& msg) { on_down_of(msg); });
  return {
      [this](peer_hello& msg) {
        greet(msg);
        self_->send(cluster_, std::move(msg));
      },
      [this](relay_request& msg) { handle(msg); },
      [this](relay_taken& msg) {
        tell({msg.from, msg.exchange}, msg);
      },
      [this](relay_closed& msg) {
        close({msg.from, msg.exchange}, msg);
      },
      [this](session_taken& msg) { self_->send(registry_, std::move(msg)); },
      [this](cluster_members& msg) { change_members(msg); },
      [this](node_drains&) {
        is_closed_ = true;
        self_->send(registry_, gate_closed{});
      },
      [this](report_request& msg) { report(msg.to); },
  };
}

/// The node can send requests before the cluster actor has reported it as a member.
void gate_state::greet(const peer_hello& msg) {
  auto life = msg.hello.life;
  auto known = routers_.find(life);
  if (!msg.router || (known != routers_.end() && known->second == msg.router) || early_.size() >= most_early)
    return;
  close_if([&](auto& node) { return node == life; });
  self_->monitor(msg.router);
  early_.insert(life);
  routers_.insert_or_assign(life, msg.router);
}

/// Refuses a request. Its node may not be a member yet, so the answer goes to the sender of the message.
void gate_state::reject(std::uint64_t exchange, protocol::rejection why) {
  relay_answer no{exchange, relay_answer::kind::rejected, {}, {}, std::move(why)};
  if (auto& requester = self_->current_sender())
    self_->send(caf::actor_cast<remote_router_actor>(requester), std::move(no));
}

void gate_state::handle(relay_request& msg) {
  auto router = routers_.find(msg.from);
  exchange which{msg.from, msg.exchange};
  if (router == routers_.end() || !is_whole(msg))
    return reject(msg.exchange, protocol::nodes_not_known());
  if (is_closed_)
    return reject(msg.exchange, protocol::owner_unknown());
  if (relays_.contains(which))
    return;
  if (keep_token_ && !msg.token.empty())
    keep_token_(msg.head.caller, msg.token);
  auto& at = *units_[next_unit_++ % units_.size()];
  auto made =
      spawn_direct<relay_state>(at, router->second, msg.exchange, protocol::unheld_request(msg.head.session, msg.body));
  self_->link_to(made);
  exchanges_.emplace(made.address(), which);
  relays_.emplace(which, made.address());
  auto broker = caf::actor_cast<broker_actor>(std::move(made));
  if (msg.is == relay_request::kind::operate)
    return self_->send(registry_, arrived(msg, std::move(broker)));
  auto came = msg.leaves ? protocol::request_source::leaving_node : protocol::request_source::node;
  submit_request(self_, registry_, std::move(msg), std::move(broker), came, at.number());
}

template <class Word>
void gate_state::tell(const exchange& which, Word word) {
  auto found = relays_.find(which);
  if (found == relays_.end())
    return;
  if (auto alive = caf::actor_cast<relay_actor>(found->second))
    self_->send(alive, std::move(word));
}

template <class Word>
void gate_state::close(const exchange& which, Word last) {
  tell(which, std::move(last));
  forget(which);
}

void gate_state::forget(const exchange& which) {
  if (leaves_)
    return; // wait for its exit
  if (auto node = relays_.extract(which); !node.empty())
    exchanges_.erase(node.mapped());
}

/// Replaces the members. Requests of disconnected nodes end, even if a node is back. Nodes that have only greeted this
/// one stay: their membership follows.
void gate_state::change_members(cluster_members& msg) {
  auto before = std::exchange(routers_, {});
  for (auto& one : msg.nodes) {
    if (early_.erase(one.node.life) != 0)
      self_->demonitor(before.at(one.node.life).address());
    routers_.emplace(one.node.life, std::move(one.router));
  }
  for (auto life : early_)
    routers_.emplace(life, before.at(life));
  close_if([&](auto& node) { return is_lost(node, before, routers_); });
}

/// Ends the requests of lost nodes. A node may still read what their relays report then: it was silent only.
template <class Test>
void gate_state::close_if(Test is_lost) {
  std::vector<exchange> lost;
  for (auto& [which, relay] : relays_)
    if (is_lost(which.first))
      lost.push_back(which);
  for (auto& which : lost) {
    if (auto alive = caf::actor_cast<relay_actor>(relays_.at(which)))
      self_->send_exit(alive, caf::exit_reason::remote_link_unreachable);
    forget(which);
  }
}

/// A node is lost before it was a member.
void gate_state::on_down_of(const caf::down_msg& msg) {
  auto is_gone = [&](auto& node) { return early_.contains(node) && routers_.at(node).address() == msg.source; };
  close_if(is_gone);
  for (auto at = early_.begin(); at != early_.end();)
    if (is_gone(*at)) {
      routers_.erase(*at);
      at = early_.erase(at);
    } else {
      ++at;
    }
}

void gate_state::report(const collector_actor& to) {
  counted result{{.actors = 1}};
  result.part.relayed_here = relays_.size();
  self_->send(to, std::move(result));
}

void gate_state::on_exit_of(const caf::exit_msg& msg) {
  if (auto node = exchanges_.extract(msg.source); !node.empty()) {
    relays_.erase(node.mapped());
    if (leaves_ && relays_.empty())
      self_->quit(caf::exit_reason::user_shutdown);
  } else if (msg.source == owner_ || msg.source == self_->address()) {
    leave(msg.reason);
  }
}

/// Begins the exit, but waits for the relays: they may not have received the last messages of sessions yet. A second
/// exit does not wait. Other nodes read a normal shutdown of a gate as "owes no answer".
void gate_state::leave(const caf::error& why) {
  if (relays_.empty())
    self_->quit(why);
  else if (std::exchange(leaves_, true) || why != caf::exit_reason::user_shutdown)
    self_->quit(caf::exit_reason::remote_link_unreachable);
}

} // namespace troupe::actors
