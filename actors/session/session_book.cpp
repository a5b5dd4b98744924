#include "actors/session/session_book.hpp"

#include <algorithm>

namespace troupe::actors {

known_session& session_book::add(std::string id, known_session what) {
  places_.acquire(what.address.value_or(std::string{}));
  what.number = ++last_number_;
  auto& [kept_id, kept] = *all_.emplace(std::move(id), std::move(what)).first;
  ids_.emplace(kept.session.address(), &kept_id);
  numbers_.emplace(kept.number, &kept_id);
  if (!kept.key.empty())
    leases_.insert_or_assign(kept.key.text, &kept);
  return kept;
}

bool session_book::remove(const caf::actor_addr& ended) {
  auto found = ids_.find(ended);
  if (found == ids_.end())
    return false;
  if (found->second)
    forget(all_.find(*found->second));
  ids_.erase(found);
  return true;
}

void session_book::let_go(const std::string& id) {
  auto found = all_.find(id);
  ids_[found->second.session.address()] = nullptr;
  forget(found);
}

void session_book::forget(sessions::iterator one) {
  note_left(one->second);
  free_place(one->second);
  forget_key(one->second);
  numbers_.erase(one->second.number);
  all_.erase(one);
}

void session_book::forget_key(known_session& one) {
  leases_.erase(one.key.text);
  one.key = {};
}

void session_book::free_place(known_session& one) {
  if (auto address = std::exchange(one.address, std::nullopt))
    places_.give_back(*address);
}

void session_book::note_left(const known_session& one) {
  constexpr std::size_t most_left = 64;
  if (!one.address)
    return;
  if (left_.size() == most_left)
    left_.pop_front();
  left_.emplace_back(one.session.address(), *one.address);
}

// -- finding ------------------------------------------------------------------------------------

known_session* session_book::find(const std::string& id) {
  auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

known_session* session_book::find_lease(const std::string& key) {
  auto found = leases_.find(key);
  return found == leases_.end() ? nullptr : found->second;
}

known_session* session_book::numbered(std::uint64_t number) {
  auto found = numbers_.find(number);
  return found == numbers_.end() ? nullptr : &all_.at(*found->second);
}

known_session* session_book::most_idle(const std::string& address, protocol::time_point now) {
  known_session* result = nullptr;
  auto earliest = now - protocol::session_places::least_idle;
  for (auto& [id, one] : all_)
    if (auto since = one.address == address ? one.idle->since() : std::nullopt; since && *since <= earliest) {
      result = &one;
      earliest = *since;
    }
  return result;
}

known_session* session_book::most_idle_holder(std::size_t least, protocol::time_point now,
                                              const std::function<bool(const known_session&)>& counts) {
  known_session* result = nullptr;
  const auto latest = now - protocol::session_places::least_idle;
  std::pair<std::size_t, protocol::time_point::duration> most{least, {}};
  for (auto& [id, one] : all_) {
    const auto since = one.address ? one.idle->since() : std::nullopt;
    if (!since || *since > latest || !counts(one))
      continue;
    if (const std::pair rank{places_.held_by(*one.address), latest - *since}; rank >= most) {
      result = &one;
      most = rank;
    }
  }
  return result;
}

std::optional<std::string> session_book::counted_as(const caf::actor_addr& session) const {
  if (auto found = ids_.find(session); found != ids_.end() && found->second)
    return all_.at(*found->second).address;
  const auto left = std::ranges::find(left_, session, [](auto& one) { return one.first; });
  return left == left_.end() ? std::nullopt : std::optional{left->second};
}

} // namespace troupe::actors
