#pragma once

#include "protocol/deadlines.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Table of requests in flight in one direction, each under an id of ours. Our ids count up and are never reused, so
/// that a late answer finds no request.
///
/// Members of a `Request`:
/// - `id`, the requester's id, a JSON token (see `same_id`);
/// - `requester()`, the number of the requester; nullopt for a request of our own, which is found by our id only;
/// - `deadline`, the time at which the request fails;
/// - `token`, the requester's progress token, empty if it wants no progress: only for messages that bring or report it;
/// - `cap`, the latest deadline that progress can bring.
template <class Request>
class request_table {
public:
  /// Requests with our ids.
  using numbered = std::vector<std::pair<std::uint64_t, Request>>;

  request_table() = default;
  // Not copyable: the indices point to the entries.
  request_table(request_table&&) noexcept = default;
  request_table& operator=(request_table&&) noexcept = default;

  /// Adds a request; returns our id.
  std::uint64_t add(Request&& one) {
    ++last_;
    auto& added = by_own_id_.try_emplace(by_own_id_.end(), last_, last_, std::move(one))->second;
    deadlines_.add(added);
    list(added);
    return last_;
  }
  /// Adds a request with the id and token of its message, which gets ours in their place; returns our id.
  std::uint64_t add(Request&& one, message& from) {
    one.id = from.id;
    one.token = from.reference;
    const auto own = add(std::move(one));
    const auto text = std::to_string(own);
    replace_ids(from, text, text);
    return own;
  }
  /// Reserves an id of ours for a request in another table.
  std::uint64_t new_id() { return ++last_; }
  /// Makes our ids count on from a number.
  void count_from(std::uint64_t last) { last_ = last; }

  /// Returns the request; it may be changed, except for its asker and id, and not to an earlier deadline.
  Request* find(std::uint64_t own) {
    auto found = by_own_id_.find(own);
    return found == by_own_id_.end() ? nullptr : &found->second.what;
  }
  const Request* find(std::uint64_t own) const {
    auto found = by_own_id_.find(own);
    return found == by_own_id_.end() ? nullptr : &found->second.what;
  }
  /// Gives a request another deadline, which may be an earlier one.
  void set_deadline(std::uint64_t own, time_point deadline) {
    auto found = by_own_id_.find(own);
    if (found == by_own_id_.end())
      return;
    auto& one = found->second;
    deadlines_.remove(one);
    one.what.deadline = deadline;
    deadlines_.add(one);
  }
  /// Changes a request, including its asker and id, but not to an earlier deadline.
  template <class Change>
  void change(std::uint64_t own, Change change) {
    auto found = by_own_id_.find(own);
    if (found == by_own_id_.end())
      return;
    auto& one = found->second;
    unlist(one);
    std::invoke(change, one.what);
    list(one);
  }

  /// Removes a request and returns it.
  std::optional<Request> extract(std::uint64_t own) {
    auto found = by_own_id_.find(own);
    if (found == by_own_id_.end())
      return std::nullopt;
    deadlines_.remove(found->second);
    unlist(found->second);
    std::optional<Request> result{std::move(found->second.what)};
    by_own_id_.erase(found);
    return result;
  }
  /// Removes all requests past their deadline and returns them, the earliest first.
  numbered extract_late(time_point now) {
    numbered result;
    for (auto first = deadlines_.first(); first && first->deadline() <= now; first = deadlines_.first()) {
      auto own = first->own;
      result.emplace_back(own, *extract(own));
    }
    return result;
  }
  numbered extract_all() { return extract_late(time_point::max()); }

  // -- messages about requests: the other side names them by our id, which is also the progress token
  /// Returns the request that the other side names.
  Request* find(std::string_view own_token) {
    auto own = own_id(own_token);
    return own ? find(*own) : nullptr;
  }
  const Request* find(std::string_view own_token) const {
    auto own = own_id(own_token);
    return own ? find(*own) : nullptr;
  }
  /// Removes and returns the request that the other side names.
  std::optional<Request> extract(std::string_view own_token) {
    auto own = own_id(own_token);
    return own ? extract(*own) : std::nullopt;
  }
  /// Removes and returns the answered request. The answer gets the asker's id.
  std::optional<Request> answered(message& answer) {
    auto result = extract(answer.id);
    if (result)
      replace_ids(answer, result->id, {});
    return result;
  }
  /// Removes and returns the latest request with the id that its asker cancels. The cancellation gets our id.
  std::optional<Request> cancelled(std::uint64_t requester, message& cancellation) {
    auto own = own_id_of(requester, cancellation.reference);
    if (!own)
      return std::nullopt;
    replace_ids(cancellation, {}, std::to_string(*own));
    return extract(*own);
  }
  /// Returns the request that made progress; null if there is none, or its asker wants no progress. The message gets
  /// the asker's token.
  Request* progressed(message& progress) {
    auto one = find_with_token(progress.reference);
    if (one)
      replace_ids(progress, {}, one->token);
    return one;
  }
  /// Also gives the request a later deadline, up to its `cap`.
  Request* progressed(message& progress, time_point deadline) {
    auto one = progressed(std::string_view{progress.reference}, deadline);
    if (one)
      replace_ids(progress, {}, one->token);
    return one;
  }
  /// Gives the request that made progress, by its token, a later deadline, up to its `cap`; null as above.
  Request* progressed(std::string_view own_token, time_point deadline) {
    auto one = find_with_token(own_token);
    if (one)
      one->deadline = std::min(deadline, one->cap);
    return one;
  }

  /// Returns our id of the latest request with that id by an asker.
  std::optional<std::uint64_t> own_id_of(std::uint64_t requester, std::string_view id) const {
    auto after = by_asker_.upper_bound(place{requester, id, last_});
    if (after == by_asker_.begin())
      return std::nullopt;
    auto& found = **std::prev(after);
    return found.what.requester() == requester && same_id(found.what.id, id) ? std::optional{found.own} : std::nullopt;
  }
  /// Returns our ids of all requests with that id by an asker.
  std::vector<std::uint64_t> own_ids_of(std::uint64_t requester, std::string_view id) const {
    std::vector<std::uint64_t> result;
    for (auto at = by_asker_.lower_bound(place{requester, id, 0}); at != by_asker_.end(); ++at) {
      if ((*at)->what.requester() != requester || !same_id((*at)->what.id, id))
        break;
      result.push_back((*at)->own);
    }
    return result;
  }
  /// Returns our ids of all requests of an asker.
  std::set<std::uint64_t> of(std::uint64_t requester) const {
    std::set<std::uint64_t> result;
    for (auto at = by_asker_.lower_bound(place{requester, {}, 0}); at != by_asker_.end(); ++at) {
      if ((*at)->what.requester() != requester)
        break;
      result.insert((*at)->own);
    }
    return result;
  }
  /// Returns our ids of the requests that fulfil a condition; examines every request.
  template <class Condition>
  std::vector<std::uint64_t> ids_where(Condition condition) const {
    std::vector<std::uint64_t> result;
    for (auto& [own, one] : by_own_id_)
      if (condition(one.what))
        result.push_back(own);
    return result;
  }
  /// Number of the requests that have an asker.
  std::size_t requested() const { return by_asker_.size(); }
  /// Returns the asker of all requests that have one; nullopt if there are several askers, or none.
  std::optional<std::uint64_t> only_asker() const {
    if (by_asker_.empty() || (*by_asker_.begin())->what.requester() != (*by_asker_.rbegin())->what.requester())
      return std::nullopt;
    return (*by_asker_.begin())->what.requester();
  }

  std::size_t size() const { return by_own_id_.size(); }
  bool empty() const { return by_own_id_.empty(); }
  /// Earliest deadline; max() if there is none.
  time_point deadline() const {
    auto first = deadlines_.first();
    return first ? first->deadline() : time_point::max();
  }

private:
  struct entry {
    entry(std::uint64_t own_id, Request&& one) : own{own_id}, what{std::move(one)} {}
    time_point deadline() const { return what.deadline; }

    std::uint64_t own;
    Request what;
    std::size_t place = 0;
  };
  /// Sort key: the asker, then its id, then ours.
  struct place {
    std::uint64_t requester;
    std::string_view id;
    std::uint64_t own;
    friend bool operator<(const place& a, const place& b) {
      if (a.requester != b.requester)
        return a.requester < b.requester;
      const auto by_id = compare_ids(a.id, b.id);
      return std::is_eq(by_id) ? a.own < b.own : std::is_lt(by_id);
    }
  };
  struct by_place {
    using is_transparent = void;
    static place of(const place& one) { return one; }
    static place of(const entry* one) { return {*one->what.requester(), one->what.id, one->own}; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return of(a) < of(b);
    }
  };

  Request* find_with_token(std::string_view own_token) {
    auto one = find(own_token);
    return one && !one->token.empty() ? one : nullptr;
  }
  void list(const entry& one) {
    if (one.what.requester())
      by_asker_.insert(&one);
  }
  void unlist(const entry& one) {
    if (one.what.requester())
      by_asker_.erase(&one);
  }

  std::uint64_t last_ = 0;
  std::map<std::uint64_t, entry> by_own_id_;
  /// Requests that have an asker.
  std::set<const entry*, by_place> by_asker_;
  /// Deadlines; reordered when the earliest is queried.
  mutable deadline_heap<entry> deadlines_;
};

/// Request of a server to a client, as the table's element.
struct server_question {
  /// Number of the server that asks, or of its call that does; 0 if all questions of a table have one asker.
  std::uint64_t asker = 0;
  /// Number of the user, exchange or stream that received the question; 0 if all go to one client.
  std::uint64_t receiver = 0;
  /// Asker's id, a JSON token.
  std::string id = {};
  /// Asker's progress token; empty if it wants no progress.
  std::string token = {};
  /// Time at which the question fails without progress; never later than `cap`.
  time_point deadline = time_point::max();
  time_point cap = time_point::max();

  std::optional<std::uint64_t> requester() const { return asker; }
};

/// Requests of servers to clients that were not answered.
using server_question_table = request_table<server_question>;

} // namespace troupe::protocol
