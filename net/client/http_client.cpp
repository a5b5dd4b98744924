#include "net/client/http_client.hpp"

#include "net/client/http_client_call.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

std::shared_ptr<http_client_shared> http_client_group::on(io_thread& thread) {
  return shared_.with([&](auto& all) {
    auto& place = all[&thread];
    auto one = place.lock();
    if (!one)
      place = one = std::make_shared<http_client_shared>(thread, options_);
    return one;
  });
}

std::shared_ptr<http_client_group> http_client_groups::of(const std::string& whom) {
  return groups_.with([&](auto& known) {
    auto& place = known.all[whom];
    auto one = place.lock();
    if (!one)
      place = one = std::make_shared<http_client_group>(options_);
    known.tidy();
    return one;
  });
}

/// Removes expired groups once the number has doubled, so that a new group costs the same however many there are.
void http_client_groups::groups::tidy() {
  if (all.size() < tidy_at)
    return;
  std::erase_if(all, [](auto& one) { return one.second.expired(); });
  tidy_at = std::max(most_untidy, 2 * all.size());
}

struct http_client::calls {
  explicit calls(std::shared_ptr<http_client_shared> from) : shared{std::move(from)} {}

  /// Null when the call is over or unknown.
  http_client_call* find(call_id which) const {
    const auto at = running.find(which);
    return at == running.end() ? nullptr : at->second.get();
  }
  void abort(call_id which) {
    if (auto one = running.extract(which))
      one.mapped()->abort();
  }

  std::shared_ptr<http_client_shared> shared;
  http_client_user user;
  std::map<call_id, std::shared_ptr<http_client_call>> running;
  call_id last_id = 0;
};

http_client::http_client(io_thread& thread, const http_client_options& options)
    : http_client{std::make_shared<http_client_shared>(thread, options)} {}

http_client::http_client(std::shared_ptr<http_client_shared> shared)
    : thread_{shared->thread}, calls_{std::make_shared<calls>(std::move(shared))} {}

/// Ends on the thread, as shared state may end with this client.
http_client::~http_client() {
  thread_.dispatch([all = std::move(calls_)] {
    for (auto& [id, one] : std::exchange(all->running, {}))
      one->abort();
  });
}

/// Begins later: no callback runs from inside.
http_client::call_id http_client::start(http_call what, http_call_events events) {
  const auto id = ++calls_->last_id;
  auto forget = [weak = std::weak_ptr{calls_}, id] {
    if (auto alive = weak.lock())
      alive->running.erase(id);
  };
  auto one = std::make_shared<http_client_call>(calls_->shared, std::move(what), std::move(events), forget);
  calls_->running.emplace(id, one);
  one->start(calls_->user);
  return id;
}

void http_client::abort(call_id which) { calls_->abort(which); }

std::function<void()> http_client::aborter(call_id which) const {
  return [weak = std::weak_ptr{calls_}, which] {
    if (auto alive = weak.lock())
      alive->abort(which);
  };
}

bool http_client::waits(call_id which) const {
  const auto* one = calls_->find(which);
  return one && one->waits();
}

void http_client::release(call_id which) {
  if (auto* one = calls_->find(which))
    one->leave_turn();
}

void http_client::rest(call_id which) {
  if (auto* one = calls_->find(which))
    one->rest();
}

void http_client::send_last(http_call what, std::chrono::milliseconds limit) {
  what.whole = limit;
  thread_.dispatch([shared = calls_->shared, what = std::move(what)] {
    std::make_shared<http_client_call>(shared, what, http_call_events{}, nullptr)->begin();
  });
}

} // namespace troupe::net
