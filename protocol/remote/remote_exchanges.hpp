#pragma once

#include "protocol/remote/http_transport.hpp"
#include "protocol/remote/remote_answer.hpp"
#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_dialogue.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// State that an HTTP exchange with a remote server has over every transport.
struct remote_exchange {
  http_call_id call = 0;
  /// Request that the exchange carries; empty for none.
  std::string id = {};
  /// True while it waits for a connection.
  bool waits = false;
  /// HTTP status; zero until the head of the answer has arrived.
  int status = 0;
  std::string refusal = {};
  remote_answer answer = {};
  /// Longest silence; zero for no limit.
  std::chrono::milliseconds patience = {};
  time_point deadline = time_point::max();

  /// `url` is the URL of the request.
  void receive_head(int of_answer, const http_fields& fields, const std::string& url) {
    status = of_answer;
    refusal = refusal_text(of_answer, fields, url);
  }

  /// Error text for a request whose answer was cut off.
  std::string cut_off_by(std::string_view why) const {
    auto text = status == 0 ? "The remote MCP server did not answer: "
                            : "The connection to the remote MCP server broke before it answered: ";
    return text + one_line(why);
  }
};

/// HTTP exchanges under way with a remote server, each from its request to the end of its answer, and the requests that
/// they carry. `Exchange` is a `remote_exchange` with what its transport adds. Pointers are valid until the exchange is
/// removed.
template <class Exchange>
class remote_exchanges {
public:
  /// Limit of exchanges, including those of which only the rest is read.
  static constexpr std::size_t most = 2 * remote_dialogue::most;

  bool is_full() const { return all_.size() >= most; }

  void add(http_call_id call, Exchange one, time_point now) {
    one.call = call;
    one.deadline = until(now, one.patience);
    if (!one.id.empty())
      carriers_.emplace(one.id, call);
    all_.emplace(call, std::move(one));
  }

  // -- queries
  /// Returns null when no such exchange is under way, like every function here that returns a pointer.
  Exchange* find(http_call_id call) {
    auto at = all_.find(call);
    return at == all_.end() ? nullptr : &at->second;
  }
  const Exchange* find(http_call_id call) const {
    auto at = all_.find(call);
    return at == all_.end() ? nullptr : &at->second;
  }

  /// Oldest exchange that carries the request.
  Exchange* carrier(const std::string& id) {
    auto at = carriers_.lower_bound({id, 0});
    return at == carriers_.end() || at->first != id ? nullptr : find(at->second);
  }

  template <class Test>
  std::ptrdiff_t count(Test is_it) const {
    return std::ranges::count_if(all_, [&](auto& one) { return is_it(one.second); });
  }

  template <class Test>
  Exchange* oldest(Test is_it) {
    auto at = std::ranges::find_if(all_, [&](auto& one) { return is_it(one.second); });
    return at == all_.end() ? nullptr : &at->second;
  }

  template <class Use>
  void for_each(Use use) const {
    for (auto& [call, one] : all_)
      use(one);
  }

  /// First deadline of an exchange.
  time_point deadline() const {
    auto first = time_point::max();
    for (auto& [call, one] : all_)
      first = std::min(first, one.deadline);
    return first;
  }

  // -- facts
  void waits(http_call_id call) {
    if (auto* one = find(call))
      one->waits = true;
  }

  /// Returns the exchange that got a connection.
  Exchange* begun(http_call_id call, time_point now) {
    auto* one = find(call);
    if (one) {
      one->waits = false;
      one->deadline = until(now, one->patience);
    }
    return one;
  }

  /// The exchange no longer carries its request. To be called before its id changes.
  void unlink(const Exchange& one) { carriers_.erase({one.id, one.call}); }

  // -- ends
  Exchange remove(const Exchange& one) {
    unlink(one);
    return std::move(all_.extract(one.call).mapped());
  }

  /// Removes an exchange that is over; empty when it was dropped before.
  std::optional<Exchange> extract(http_call_id call) {
    auto* one = find(call);
    return one ? std::optional{remove(*one)} : std::nullopt;
  }

  Exchange drop(const Exchange& one, remote_effects& out) {
    out.push_back(drop_call{one.call});
    return remove(one);
  }

  /// At the limit, drops the oldest exchange that may go.
  template <class Test>
  void make_room(Test may_go, remote_effects& out) {
    if (auto* one = is_full() ? oldest(may_go) : nullptr)
      drop(*one, out);
  }

  /// Drops the exchanges whose time is over, and hands each to `end` before the next is dropped.
  template <class End>
  void drop_late(time_point now, remote_effects& out, End end) {
    std::vector<http_call_id> late;
    for (auto& [call, one] : all_)
      if (now >= one.deadline)
        late.push_back(call);
    for (auto call : late)
      if (auto* one = find(call))
        end(drop(*one, out));
  }

  void drop_all(remote_effects& out) {
    for (auto& [call, one] : all_)
      out.push_back(drop_call{call});
    all_.clear();
    carriers_.clear();
  }

private:
  std::map<http_call_id, Exchange> all_;
  /// Requests whose answers are awaited, each with the exchange that carries it.
  std::set<std::pair<std::string, http_call_id>> carriers_;
};

} // namespace troupe::protocol
