#include "protocol/delivery/streams.hpp"

#include "protocol/message/message.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace troupe::protocol {

namespace {

/// Stored data of one stream.
struct remains {
  std::optional<stream_role> role;
  std::set<std::string> answered;
};

/// Rejects numbers that could overflow: other programs may write to the store.
bool plausible(const saved_event& one, exchange_id last) {
  return one.stream != 0 && one.stream <= last && one.position < std::uint64_t{1} << 53U;
}

bool is_farewell(const saved_event& one) { return one.position == 0 && one.text.empty(); }

void note_answer(remains& of, const saved_event& event) {
  auto read = read_message(event.text);
  auto one = std::get_if<message>(&read);
  if (one && one->kind == message_kind::response)
    of.answered.insert(one->id);
}

void note(remains& of, const saved_event& event) {
  if (event.position != 0 && event.vital)
    return note_answer(of, event);
  if (event.position == 0)
    if (auto role = read_stream_role(event.text))
      of.role = std::move(role);
}

/// Returns the stream's role without the answered requests.
stream_role what_is_left(remains& of) {
  auto result = std::move(of.role).value_or(stream_role{});
  std::erase_if(result.answers, [&](auto& id) { return of.answered.contains(id); });
  return result;
}

} // namespace

void streams::answers(exchange_id stream, const std::vector<std::string>& requests, effects& out) const {
  if (keeps_outside_)
    out.push_back(keep_event{{stream, 0, stream_role_text({.answers = requests})}});
}

/// Begins with streams without a stored role, so that they are forgotten first if there are too many.
void streams::restore(const std::vector<saved_event>& events, exchange_id last, time_point now, effects& out) {
  newest_ = last;
  std::map<exchange_id, remains> left;
  for (auto& event : events) {
    if (!plausible(event, last))
      continue;
    if (is_farewell(event)) {
      left.erase(event.stream);
      drop(event.stream);
      continue;
    }
    note(left[event.stream], event);
    take_back(event);
  }
  for (auto is_known : {false, true})
    for (auto& [stream, of] : left)
      if (of.role.has_value() == is_known)
        continue_restored(stream, what_is_left(of), now, out);
}

/// Restores an event. Positions grow on each stream; a gateway did not write one that does not.
void streams::take_back(const saved_event& event) {
  auto& it = all_[event.stream];
  if (event.position <= it.last_position)
    return;
  it.last_position = event.position;
  store_->append(event.stream, {event.position, event.text}, event.vital);
}

/// Continues a restored stream. A call is never repeated, so one without an answer has failed. A stream without a
/// stored role counts as a finished call: as a listening one it would leave its client waiting forever. Positions go on
/// after those that the store may lack. How far differs between restores: a store that comes back older may have
/// forgotten one, and a client must not skip events that have other positions than the ones it has seen.
void streams::continue_restored(exchange_id stream, const stream_role& of, time_point now, effects& out) {
  auto& it = all_.at(stream);
  it.last_position += unsaved_positions + static_cast<std::uint32_t>(newest_);
  if (of.listens) {
    it.is = kind::listen;
    return release(stream, it, now, out);
  }
  for (auto& id : of.answers)
    send(stream, error_text(id, error_code::internal_error, lost_with_node), true, out);
  finish(stream, now, out);
}

void streams::open(exchange_id exchange, kind is, time_point now, effects& out) {
  newest_ = std::max(newest_, exchange);
  if (is == kind::listen)
    keep_listener(exchange, out);
  out.push_back(open_stream{exchange});
  auto& it = all_[exchange];
  it.is = is;
  carry(exchange, it, exchange, 0, now, out);
}

void streams::keep_listener(exchange_id stream, effects& out) const {
  if (keeps_outside_)
    out.push_back(keep_event{{stream, 0, stream_role_text({.listens = true})}});
}

void streams::keep_listeners(effects& out) const {
  for (auto& [stream, it] : all_)
    if (it.is == kind::listen && !it.finished)
      keep_listener(stream, out);
}

/// `position`: that of the client's last event. The priming event repeats it, and sends `retry`.
void streams::carry(exchange_id stream, one& it, exchange_id exchange, std::uint64_t position, time_point now,
                    effects& out) {
  it.carrier = exchange;
  postpone(it, poll_deadline(now));
  carried_[exchange] = stream;
  if (primes_)
    out.push_back(publish{exchange, {.id = id_of(stream, position), .retry = limits_.retry}});
}

void streams::send(exchange_id stream, std::string text, bool vital, effects& out) {
  auto found = all_.find(stream);
  if (found == all_.end())
    return;
  auto& it = found->second;
  ++it.last_position;
  if (keeps_outside_)
    out.push_back(keep_event{{stream, it.last_position, text, vital}});
  if (it.carrier != 0)
    out.push_back(publish{it.carrier, {.id = id_of(stream, it.last_position), .type = "message", .data = text}});
  store_->append(stream, {it.last_position, std::move(text)}, vital);
}

void streams::finish(exchange_id stream, time_point now, effects& out) {
  auto found = all_.find(stream);
  if (found == all_.end() || found->second.finished)
    return;
  auto& it = found->second;
  it.finished = true;
  store_->finish(stream);
  if (it.carrier != 0)
    out.push_back(end_stream{it.carrier});
  release(stream, it, now, out);
  if (auto next = take_next(it))
    take_over(stream, it, *next, now, out);
}

void streams::forget(exchange_id stream, effects& out) {
  if (auto next = take_next(all_.at(stream)))
    out.push_back(end_stream{next->exchange});
  if (keeps_outside_)
    out.push_back(keep_event{{stream, 0, {}}});
  drop(stream);
}

void streams::drop(exchange_id stream) {
  store_->drop(stream);
  if (auto one = all_.extract(stream); !one.empty())
    first_.changed(one.mapped().deadline);
}

// -- resumption ----------------------------------------------------------------------

streams::outcome streams::resume(exchange_id exchange, std::string_view last, time_point now, effects& out) {
  auto id = read_event_id(tag_, last);
  auto found = id ? all_.find(id->stream) : all_.end();
  auto known = found != all_.end();
  if (!id || (known ? id->position > found->second.last_position : id->stream > newest_))
    return outcome::foreign;
  out.push_back(open_stream{exchange});
  if (!known) {
    out.push_back(end_stream{exchange});
    return outcome::ended;
  }
  auto& it = found->second;
  if ((it.carrier != 0 || it.finished) && !may_take_over(it, now)) {
    wait(id->stream, it, {exchange, id->position}, out);
    if (it.finished)
      postpone(it, it.takeovers.front() + limits_.takeover_time);
    return outcome::waits;
  }
  take_over(id->stream, it, {exchange, id->position}, now, out);
  return it.finished ? outcome::ended : outcome::resumed;
}

/// Closes the old connection, too: it may hang, or belong to a client that is still there.
void streams::take_over(exchange_id stream, one& it, successor by, time_point now, effects& out) {
  if (auto old = it.carrier; old != 0) {
    release(stream, it, now, out);
    out.push_back(end_stream{old});
  }
  carry(stream, it, by.exchange, by.position, now, out);
  replay(stream, it, by.position, out);
  if (!it.finished)
    return;
  out.push_back(end_stream{by.exchange});
  release(stream, it, now, out);
}

void streams::wait(exchange_id stream, one& it, successor by, effects& out) {
  if (auto before = take_next(it))
    out.push_back(end_stream{before->exchange});
  it.next = by;
  waiting_[by.exchange] = stream;
}

std::optional<streams::successor> streams::take_next(one& it) {
  auto next = std::exchange(it.next, std::nullopt);
  if (next)
    waiting_.erase(next->exchange);
  return next;
}

void streams::replay(exchange_id stream, const one& it, std::uint64_t position, effects& out) {
  for (auto& event : store_->after(stream, position))
    out.push_back(
        publish{it.carrier, {.id = id_of(stream, event.position), .type = "message", .data = std::move(event.text)}});
}

/// Limits take-overs: two connections that both resume the stream would take it from each other forever. Each that
/// resumes a finished stream is sent all of it.
bool streams::may_take_over(one& it, time_point now) {
  std::erase_if(it.takeovers, [&](time_point at) { return now - at >= limits_.takeover_time; });
  if (it.takeovers.size() >= limits_.takeovers)
    return false;
  it.takeovers.push_back(now);
  return true;
}

// -- connections ---------------------------------------------------------------------

std::optional<exchange_id> streams::carried_by(exchange_id exchange) const {
  auto found = carried_.find(exchange);
  if (found == carried_.end())
    return std::nullopt;
  return found->second;
}

void streams::detach(exchange_id exchange, time_point now, effects& out) {
  if (auto waits = waiting_.find(exchange); waits != waiting_.end()) {
    auto& it = all_.at(waits->second);
    take_next(it);
    if (it.finished)
      postpone(it, now + limits_.time_to_live);
    return;
  }
  auto stream = carried_by(exchange);
  if (!stream)
    return;
  auto& it = all_.at(*stream);
  release(*stream, it, now, out);
  if (auto next = take_next(it))
    take_over(*stream, it, *next, now, out);
}

void streams::release(exchange_id stream, one& it, time_point now, effects& out) {
  carried_.erase(it.carrier);
  it.carrier = 0;
  auto may_go = it.finished || it.is == kind::listen;
  postpone(it, may_go ? now + limits_.time_to_live : time_point::max());
  if (may_go)
    keep(stream, it, out);
}

/// Forgets the oldest stream above the limit, unless it was resumed: it returns here when it is released.
void streams::keep(exchange_id stream, one& it, effects& out) {
  if (std::exchange(it.kept, true))
    std::erase(kept_, stream);
  kept_.push_back(stream);
  if (kept_.size() <= limits_.kept)
    return;
  auto oldest = all_.find(kept_.front());
  kept_.erase(kept_.begin());
  if (oldest == all_.end())
    return;
  oldest->second.kept = false;
  if (oldest->second.carrier == 0 && oldest->first != stream)
    forget(oldest->first, out);
}

bool streams::listens(exchange_id stream) const {
  auto found = all_.find(stream);
  return found != all_.end() && found->second.is == kind::listen;
}

bool streams::attached(exchange_id stream) const {
  auto found = all_.find(stream);
  return found != all_.end() && found->second.carrier != 0;
}

// -- time -----------------------------------------------------------------------------

time_point streams::poll_deadline(time_point now) const {
  return primes_ && limits_.poll.count() != 0 ? now + limits_.poll : time_point::max();
}

std::vector<exchange_id> streams::tick(time_point now, effects& out) {
  std::vector<exchange_id> due, closed;
  if (!first_.may_be_late(now))
    return closed;
  for (auto& [stream, it] : all_)
    if (now >= it.deadline)
      due.push_back(stream);
  for (auto stream : due) {
    auto found = all_.find(stream);
    if (found == all_.end())
      continue;
    auto& it = found->second;
    if (auto carrier = it.carrier; carrier == 0) {
      if (it.next && may_take_over(it, now))
        take_over(stream, it, *take_next(it), now, out);
      else
        forget(stream, out);
    } else {
      out.push_back(end_stream{carrier});
      detach(carrier, now, out);
      if (!attached(stream))
        closed.push_back(stream);
    }
  }
  first_.look(all_, deadline_of);
  return closed;
}

void streams::postpone(one& it, time_point deadline) {
  first_.changed(std::exchange(it.deadline, deadline));
  first_.add(deadline);
}

time_point streams::deadline() const { return first_.of(all_, deadline_of); }

} // namespace troupe::protocol
