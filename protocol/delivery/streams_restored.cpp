// How `streams` restores the streams of a session whose node died.

#include "protocol/delivery/streams.hpp"

#include "protocol/message/message.hpp"

#include <optional>
#include <set>
#include <utility>

namespace troupe::protocol {

namespace {

/// What the store has of one stream.
struct remains {
  std::optional<stream_role> role;
  std::set<std::string> answered;
};

/// Rejects numbers that could overflow: others may write to the store.
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

/// The stream's role without the requests that were answered.
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

/// Streams whose role was not kept come first, so that they are the first to be forgotten when there are too many.
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
        go_on(stream, what_is_left(of), now, out);
}

/// Places grow on each stream; an event that does not fit was not written by a gateway.
void streams::take_back(const saved_event& event) {
  auto& it = all_[event.stream];
  if (event.position <= it.last_position)
    return;
  it.last_position = event.position;
  store_->append(event.stream, {event.position, event.text}, event.vital);
}

/// A call is never repeated, so one without an answer has failed. A stream whose role was not kept is treated as that
/// of a finished call: as a listening one it would leave its client waiting for an answer for ever.
void streams::go_on(exchange_id stream, const stream_role& of, time_point now, effects& out) {
  auto& it = all_.at(stream);
  it.last_position += unsaved_positions;
  if (of.listens) {
    it.is = kind::listen;
    return release(stream, it, now, out);
  }
  for (auto& id : of.answers)
    send(stream, error_text(id, error_code::internal_error, "The call was lost with the node that ran it"), true, out);
  finish(stream, now, out);
}

} // namespace troupe::protocol
