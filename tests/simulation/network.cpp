#include "tests/simulation/network.hpp"

#include "tests/simulation/node.hpp"

#include <algorithm>
#include <string_view>

namespace troupe::tests::simulation {

namespace {

constexpr auto look_pause = 400ms;
constexpr const char* refused = "connection refused";
/// Time after which a call to a host that does not answer fails.
constexpr auto call_limit = 2s;

std::shared_ptr<node> alive(const std::weak_ptr<node>& one) {
  auto result = one.lock();
  return result && result->is_alive() ? result : nullptr;
}

} // namespace

void network::enter(const std::string& address, std::size_t host, std::weak_ptr<node> who) {
  places_[address] = {host, std::move(who), false};
}

/// The kernel of the host closes the connections of a process that was killed.
void network::leave(const node& who, bool silent) {
  for (auto& [address, at] : places_)
    if (at.who.lock().get() == &who)
      at.is_dark = silent;
  for (auto& weak : ends_)
    if (auto end = weak.lock(); end && end->home.lock().get() == &who) {
      if (!silent)
        close(end);
      else
        end->held.clear();
      end->is_open = false;
    }
}

// -- faults ----------------------------------------------------------------------------------

void network::cut(std::size_t from, std::size_t to, bool is_so) {
  if (is_so)
    return static_cast<void>(cut_.emplace(from, to));
  cut_.erase({from, to});
  for (auto& weak : ends_)
    if (auto end = weak.lock(); end && end->host == from)
      if (auto other = end->other.lock(); other && other->host == to)
        for (auto& one : std::exchange(end->held, {}))
          transmit(end, std::move(one));
}

void network::heal_all() {
  while (!cut_.empty()) {
    auto [from, to] = *cut_.begin();
    cut(from, to, false);
  }
}

void network::break_one() {
  std::erase_if(ends_, [](auto& one) { return one.expired(); });
  if (ends_.empty())
    return;
  auto end = ends_[time_.luck().below(ends_.size())].lock();
  auto other = end->other.lock();
  notice_end(end);
  if (other)
    notice_end(other);
}

// -- calls -----------------------------------------------------------------------------------

void network::dial(const std::shared_ptr<node>& from, std::size_t host, const std::string& address) {
  time_.after(delay(), [this, weak = std::weak_ptr{from}, host, address] {
    if (auto caller = weak.lock())
      call(caller, host, address);
  });
}

void network::fail(const std::weak_ptr<node>& from, const std::string& address, const char* why, span_of_time after) {
  time_.after(after, [from, address, why] {
    if (auto caller = alive(from))
      caller->cluster().dial_failed(address, why, std::nullopt, why == std::string_view{refused});
  });
}

void network::call(const std::shared_ptr<node>& from, std::size_t host, const std::string& address) {
  auto found = places_.find(address);
  auto callee = found == places_.end() ? nullptr : alive(found->second.who);
  if (!from->is_alive())
    return;
  if (found == places_.end() || (!callee && !found->second.is_dark && !is_cut(host, found->second.host)))
    return fail(from, address, refused, delay());
  auto there = found->second.host;
  if (!callee || is_cut(host, there) || is_cut(there, host) || callee->is_paused())
    return fail(from, address, "no answer", call_limit);
  auto mine = std::make_shared<link_end>(link_end{.home = from, .host = host, .dialled = address});
  auto its = std::make_shared<link_end>(link_end{.home = callee, .host = there, .other = mine});
  mine->other = its;
  mine->heard = from->now();
  its->heard = callee->now();
  ends_.push_back(mine);
  ends_.push_back(its);
  from->cluster().keep_dialling(mine);
  callee->cluster().offer(its, from->card());
  look(mine);
  look(its);
}

void network::accept(const std::shared_ptr<link_end>& end) {
  if (end->dialled.empty())
    send(end, [who = end->home.lock()->card(), other = end->other](node& caller) {
      if (auto mine = other.lock())
        caller.cluster().offer(mine, who);
    });
  else
    end->home.lock()->cluster().opened(end);
}

void network::refuse(const std::shared_ptr<link_end>& end, const std::string& why) {
  if (end->dialled.empty())
    send(end, [who = end->home.lock()->card(), other = end->other, why](node& caller) {
      if (auto mine = other.lock(); mine && std::exchange(mine->is_open, false))
        caller.cluster().dial_failed(mine->dialled, why, who);
    });
  else
    close(end);
  end->is_open = false;
}

// -- links -----------------------------------------------------------------------------------

void network::close(const std::shared_ptr<link_end>& end) {
  if (!end->is_open)
    return;
  send(end, [this, other = end->other](node&) {
    if (auto its = other.lock())
      notice_end(its);
  });
  end->is_open = false;
}

/// Reports that the other side has closed the link, or that it is broken.
void network::notice_end(const std::shared_ptr<link_end>& end) {
  if (!std::exchange(end->is_open, false))
    return;
  if (auto home = alive(end->home))
    home->closed(end);
}

std::pair<std::shared_ptr<link_end>, std::shared_ptr<link_end>> network::join(const std::shared_ptr<node>& one,
                                                                              const std::shared_ptr<node>& other) {
  auto mine = std::make_shared<link_end>(link_end{.home = one});
  auto its = std::make_shared<link_end>(link_end{.home = other, .other = mine});
  mine->other = its;
  ends_.push_back(mine);
  ends_.push_back(its);
  return {std::move(mine), std::move(its)};
}

void network::send(const std::shared_ptr<link_end>& from, message what) {
  if (from->is_open)
    transmit(from, std::move(what));
}

void network::transmit(const std::shared_ptr<link_end>& from, message what) {
  auto to = from->other.lock();
  if (!to)
    return;
  if (is_cut(from->host, to->host))
    return from->held.push_back(std::move(what));
  ++messages_;
  from->last_arrival = std::max(from->last_arrival + span_of_time{1}, time_.now() + delay());
  time_.at(from->last_arrival, [this, from, what = std::move(what)]() mutable { deliver(from, what); });
}

void network::deliver(const std::shared_ptr<link_end>& from, message& what) {
  auto to = from->other.lock();
  auto home = to ? alive(to->home) : nullptr;
  if (!home || !to->is_open)
    return;
  to->heard = home->now();
  what(*home);
}

/// Watches one end: nodes send heartbeats over idle links.
void network::look(const std::weak_ptr<link_end>& weak) {
  auto end = weak.lock();
  auto home = end ? alive(end->home) : nullptr;
  if (!home || !end->is_open)
    return;
  auto other = end->other.lock();
  auto peer = other ? alive(other->home) : nullptr;
  if (peer && !peer->is_paused() && !is_cut(other->host, end->host)) {
    end->heard = home->now();
  } else if (!home->is_paused() && home->now() - end->heard >= silence_) {
    close(end);
    return home->cluster().closed(end);
  }
  time_.after(look_pause, [this, weak] { look(weak); });
}

} // namespace troupe::tests::simulation
