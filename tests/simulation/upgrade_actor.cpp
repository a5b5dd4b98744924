#include "tests/simulation/upgrade_actor.hpp"

#include "tests/simulation/node.hpp"

#include <utility>

namespace troupe::tests::simulation {

namespace {

/// Time for which a process that has handed over keeps its sessions.
constexpr auto upgrade_time = 12s;
constexpr auto drain_time = 4s;
constexpr auto hurry_time = 500ms;

} // namespace

upgrade_actor::upgrade_actor(std::shared_ptr<process> at, node& of, network& net, process_host& host)
    : actor{std::move(at)}, node_{of}, net_{net}, host_{host} {}

// -- the newer process -----------------------------------------------------------------------

/// The peer of a newer process exists from the start: what the older one sends after its word waits for it.
void upgrade_actor::begin(std::shared_ptr<link_end> older) {
  if (!older)
    return serve();
  older_ = std::move(older);
  peer_ = make_peer({.link = older_, .report = [this](peer_fact what) {
                       if (what == peer_fact::silent)
                         node_.checks().is_given_up(host_of(older_life_));
                     }});
  predecessor_.emplace(now());
  post([this] {
    net_.send(older_, [life = node_.life()](node& other) { other.upgrade().heard_card(life); });
    remind(predecessor_->due());
  });
}

void upgrade_actor::heard_hand_over(node_life from) {
  post([this, from] {
    if (!predecessor_)
      return;
    older_life_ = from;
    peer_->begin(from);
    node_.registry().know(peer_, false);
    handover_.take_over();
    handle(predecessor_->handed_over());
  });
}

void upgrade_actor::handle(predecessor::order what) {
  using order = predecessor::order;
  if (what == order::wait)
    return await_older();
  predecessor_.reset();
  if (what == order::give_up) {
    at().note("gives up: the old process has not handed over");
    return host_.exits(node_);
  }
  at().note(what == order::take_over ? "takes over" : "starts without the old process");
  serve();
}

void upgrade_actor::await_older() {
  remind(predecessor_->due());
  if (host_.has_ended(*older_))
    post([this] {
      if (predecessor_)
        if (auto what = predecessor_->ended(); what != predecessor::order::wait)
          handle(what);
    });
}

// -- both ------------------------------------------------------------------------------------

std::shared_ptr<peer_actor> upgrade_actor::make_peer(peer_actor::setup how) {
  auto result = std::make_shared<peer_actor>(home(), node_, net_, std::move(how));
  result->own(std::make_shared<gate_actor>(home(), node_, net_, [weak = std::weak_ptr{result}](bool is_normal) {
    if (auto one = weak.lock())
      one->gate_ended(is_normal);
  }));
  return result;
}

void upgrade_actor::look() {
  post([this] {
    if (predecessor_)
      await_older();
    watch_over();
  });
}

void upgrade_actor::closed(const std::shared_ptr<link_end>& end) {
  post([this, end] {
    if (predecessor_ && end == older_)
      return handle(predecessor_->not_handed_over(now()));
    if (peer_ && peer_->link() == end)
      return peer_->closed();
    if (successor_.is_starting() && end == newer_)
      abandon("the new process has ended before it was ready");
  });
}

void upgrade_actor::tick() {
  if (leaves_by_)
    return drain_in_time();
  if (predecessor_ && now() >= predecessor_->due())
    handle(predecessor_->tick(now()));
  else if (predecessor_)
    remind(predecessor_->due());
  watch_over();
}

// -- the older process -----------------------------------------------------------------------

void upgrade_actor::upgrade() {
  post([this] { start(); });
}

/// A process does not read signals before it serves.
void upgrade_actor::start() {
  if (leaves_by_ || predecessor_ || !has_socket())
    return;
  if (!successor_.why_not().empty() || !handover_.why_not().empty())
    return at().log.count("handovers refused");
  newer_ = host_.start_process(node_);
  successor_.started(now());
  remind(successor_.due());
}

void upgrade_actor::abandon(std::string_view why) {
  at().note("does not hand over", why);
  at().log.count("handovers that failed");
  successor_.failed();
  net_.close(newer_);
}

void upgrade_actor::heard_card(node_life from) {
  post([this, from] {
    if (successor_.is_starting())
      complete(from);
  });
}

void upgrade_actor::complete(node_life newer) {
  if (auto why = handover_.why_not(); !why.empty() || !newer_->is_open)
    return abandon(why.empty() ? "the other process has ended" : why);
  at().note("hands over");
  at().log.count("handovers");
  handover_.hand_over(true);
  keeps_socket_ = true;
  peer_ = make_peer({.link = newer_,
                     .until = now() + upgrade_time,
                     .grace = drain_time,
                     .may_sign = [this] { return handover_.is_confirmed(); },
                     .report = [this](peer_fact what) { take(what); }});
  peer_->begin(newer);
  accepts_ = node_.has(planted::two_accept);
  node_.registry().know(peer_, true);
  successor_.handed_over();
}

void upgrade_actor::use(bool has_sessions, bool has_other) { decide(handover_.use(has_sessions, has_other)); }

void upgrade_actor::take(peer_fact what) {
  may_end_sessions_ = may_end_sessions_ || what == peer_fact::leaves;
  if (node_.has(planted::loss_unnoticed) && (what == peer_fact::closed || what == peer_fact::silent))
    return;
  decide(handover_.take(what));
}

void upgrade_actor::decide(const handover_effects& all) {
  for (auto one : all)
    perform(one);
}

void upgrade_actor::perform(handover_effect what) {
  using effect = handover_effect;
  switch (what) {
  case effect::confirm:
    return net_.send(newer_, [life = node_.life()](node& other) { other.upgrade().heard_hand_over(life); });
  case effect::close_sockets:
    keeps_socket_ = false;
    return;
  case effect::report_closed:
  case effect::report_silent:
    loss_ = what == effect::report_silent;
    return post([this] { watch_over(); });
  case effect::close_sessions:
    return node_.registry().drain(drain_step::close_sessions, drain_time);
  case effect::hurry:
    may_end_sessions_ = true;
    return node_.registry().drain(drain_step::at_once);
  case effect::end:
    if (!may_end_sessions_)
      node_.checks().ends_for_handover(at().name, node_.registry().sessions().size());
    return post([this] { leave("no session is left to keep for the next process, or no time"); });
  }
}

void upgrade_actor::watch_over() {
  using order = successor::order;
  if (leaves_by_)
    return;
  if (auto hangs = std::exchange(loss_, std::nullopt))
    perform(successor_.lost(*hangs, now()));
  if (successor_.is_ending() && host_.has_ended(*newer_) && successor_.ended() == order::take_back)
    return take_back();
  perform(successor_.tick(now()));
  if (successor_.due() != time_point::max())
    remind(successor_.due());
}

void upgrade_actor::perform(successor::order what) {
  using order = successor::order;
  if (what == order::kill) {
    at().note("kills the new process");
    host_.kill_other(*newer_);
    if (!successor_.is_ending())
      abandon("the new process was not ready in time");
  } else if (what == order::end) {
    may_end_sessions_ = true;
    leave("the new process continues without this one");
  }
}

void upgrade_actor::take_back() {
  if (!handover_.take_back())
    return leave("cannot accept clients again");
  at().note("accepts clients again");
  at().log.count("handovers taken back");
  keeps_socket_ = false;
  serve();
}

// -- the end ---------------------------------------------------------------------------------

void upgrade_actor::stop() {
  post([this] { leave("SIGTERM"); });
}

void upgrade_actor::leave(std::string_view why) {
  if (leaves_by_)
    return;
  at().note("drains", why);
  accepts_ = keeps_socket_ = false;
  if (std::exchange(predecessor_, std::nullopt))
    return host_.exits(node_);
  if (successor_.is_starting())
    host_.kill_other(*newer_);
  leaves_by_ = now() + drain_time;
  node_.registry().drain(drain_step::begin);
  remind(*leaves_by_);
}

/// Ends the registry as `end_registry` of `actors/gateway/gateway.cpp` does.
void upgrade_actor::drain_in_time() {
  if (now() < *leaves_by_)
    return remind(*leaves_by_);
  if (std::exchange(has_hurried_, true))
    return node_.registry().stop();
  node_.registry().drain(drain_step::at_once);
  leaves_by_ = now() + hurry_time;
  remind(*leaves_by_);
}

void upgrade_actor::registry_ended() {
  post([this] { host_.exits(node_); });
}

} // namespace troupe::tests::simulation
