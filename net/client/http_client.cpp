#include "net/client/http_client.hpp"

#include "net/client/http_client_call.hpp"

#include <map>
#include <utility>

namespace troupe::net {

class http_client::calls : public std::enable_shared_from_this<calls> {
public:
  explicit calls(std::shared_ptr<http_client_shared> shared) : shared_{std::move(shared)} {}

  /// Begins later: nothing is told from inside.
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

  void bid_farewell(http_call what, std::chrono::milliseconds limit) {
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

/// What is shared may end with this client, and does so on the thread.
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

void http_client::bid_farewell(http_call what, std::chrono::milliseconds limit) {
  thread_.dispatch([all = calls_, what = std::move(what), limit] { all->bid_farewell(what, limit); });
}

} // namespace troupe::net
