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

class http_client::calls : public std::enable_shared_from_this<calls> {
public:
  explicit calls(std::shared_ptr<http_client_shared> shared) : shared_{std::move(shared)} {}

  /// Begins later: no callback runs from inside.
  call_id start(http_call what, http_call_events events) {
    auto id = ++last_id_;
    auto forget = [weak = weak_from_this(), id] {
      if (auto self = weak.lock())
        self->running_.erase(id);
    };
    auto one = std::make_shared<http_client_call>(shared_, std::move(what), std::move(events), forget);
    running_.emplace(id, one);
    one->start(user_);
    return id;
  }

  bool waits(call_id which) const {
    auto at = running_.find(which);
    return at != running_.end() && at->second->waits();
  }

  void release(call_id which) {
    if (auto at = running_.find(which); at != running_.end())
      at->second->leave_turn();
  }

  void rest(call_id which) {
    if (auto at = running_.find(which); at != running_.end())
      at->second->rest();
  }

  void abort(call_id which) {
    if (auto one = running_.extract(which))
      one.mapped()->abort();
  }

  void send_last(http_call what, std::chrono::milliseconds limit) {
    what.whole = limit;
    auto one = std::make_shared<http_client_call>(shared_, std::move(what), http_call_events{}, nullptr);
    one->begin();
  }

  void close() {
    for (auto& [id, one] : std::exchange(running_, {}))
      one->abort();
  }

private:
  std::shared_ptr<http_client_shared> shared_;
  http_client_user user_;
  std::map<call_id, std::shared_ptr<http_client_call>> running_;
  call_id last_id_ = 0;
};

http_client::http_client(io_thread& thread, const http_client_options& options)
    : http_client{std::make_shared<http_client_shared>(thread, options)} {}

http_client::http_client(std::shared_ptr<http_client_shared> shared)
    : thread_{shared->thread}, calls_{std::make_shared<calls>(std::move(shared))} {}

/// Ends on the thread, as shared state may end with this client.
http_client::~http_client() {
  thread_.dispatch([all = std::move(calls_)] { all->close(); });
}

http_client::call_id http_client::start(http_call what, http_call_events events) {
  return calls_->start(std::move(what), std::move(events));
}

void http_client::abort(call_id which) { calls_->abort(which); }

std::function<void()> http_client::aborter(call_id which) const {
  return [weak = std::weak_ptr{calls_}, which] {
    if (auto alive = weak.lock())
      alive->abort(which);
  };
}

bool http_client::waits(call_id which) const { return calls_->waits(which); }

void http_client::release(call_id which) { calls_->release(which); }

void http_client::rest(call_id which) { calls_->rest(which); }

void http_client::send_last(http_call what, std::chrono::milliseconds limit) {
  thread_.dispatch([all = calls_, what = std::move(what), limit] { all->send_last(what, limit); });
}

} // namespace troupe::net
