#include "protocol/session/session_admission.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Retry-After of a client that found all places taken.
constexpr std::chrono::seconds busy_pause{5};

} // namespace

void session_places::acquire(const std::string& caller) {
  ++taken_;
  by_caller_.add(caller);
}

void session_places::give_back(const std::string& caller) {
  if (by_caller_.remove(caller))
    --taken_;
}

bool session_places::ends_one_for_shortage(time_point now) {
  if (now >= second_ + std::chrono::seconds{1}) {
    second_ = now;
    ended_ = 0;
  }
  return ended_++ < most_ended;
}

bool session_places::must_wait() const { return (taken_ < most_ && is_full()) || stopping_ > most_ / 10; }

bool session_places::is_full_for(const std::string& caller) const {
  return !caller.empty() && most_each_ != 0 && held_by(caller) >= most_each_;
}

std::optional<std::string> session_places::caller_to_evict(const std::string& newcomer) const {
  if (is_full_for(newcomer))
    return newcomer;
  if (!is_full())
    return std::nullopt;
  if (by_caller_.all().empty())
    return newcomer;
  return std::ranges::max_element(by_caller_.all(), {}, [](auto& one) { return one.second; })->first;
}

std::optional<std::size_t> server_paths::find_one(std::string_view path, bool for_lease) const {
  if (path.empty()) {
    auto is_alone = all_.size() == 1 && (!merges_one_ || (for_lease && all_.front().is_plain_alone));
    return is_alone ? std::optional<std::size_t>{0} : std::nullopt;
  }
  auto found = std::find_if(all_.begin(), all_.end(), [&](auto& one) { return one.name == path; });
  return found == all_.end() ? std::nullopt : std::optional{static_cast<std::size_t>(found - all_.begin())};
}

bool server_paths::restore(std::string_view path) const {
  if (auto one = find_one(path))
    return all_[*one].is_restored;
  return !all_.empty() && std::all_of(all_.begin(), all_.end(), [](auto& one) { return one.is_restored; });
}

void session_admission::join_cluster(bool has_store) {
  has_store_ = has_store;
  stopping_.join_cluster();
}

std::optional<rejection> session_admission::refuse(std::string_view path, std::string request) const {
  if (paths_.is_unknown(path))
    return server_not_found();
  if (!stopping_.takes_new())
    return gateway_stops(std::move(request));
  return std::nullopt;
}

rejection session_admission::refuse_for_room(const std::string& address, std::string request) const {
  if (places_.is_full_for(address))
    return too_many_requests("this client has limits.perAddress.sessions in use", busy_pause, std::move(request));
  return unavailable("too many sessions are in use; --max-sessions allows more", std::move(request), busy_pause);
}

bool session_admission::keeps(transport via, std::string_view path, bool is_ours) const {
  return has_store_ && is_ours && via == transport::streamable_http && paths_.restore(path);
}

std::variant<session_record, rejection> session_admission::restore(std::string_view record, bool is_ours) const {
  auto known = read_record(record);
  if (!known || !paths_.restore(known->path))
    return session_not_found();
  if (auto why = refuse(known->path, {}))
    return std::move(*why);
  if (places_.is_full())
    return refuse_for_room({}, {});
  if (!keeps(transport::streamable_http, known->path, is_ours))
    return session_moves();
  return std::move(*known);
}

} // namespace troupe::protocol
