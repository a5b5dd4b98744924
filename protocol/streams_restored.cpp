// A session's streams in another life: the other part of `streams`.

#include "protocol/streams.hpp"

#include "protocol/message.hpp"

#include <set>

namespace troupe::protocol {

namespace {

/// What the store says of one stream. One whose beginning it has lost is a long one, that is one for listening.
struct remains {
  stream_purpose purpose{.listens = true};
  std::set<std::string> answered;
};

/// Whoever can write to the store shall not make our numbers overflow.
bool plausible(const saved_event& one, exchange_id last) {
  return one.stream != 0 && one.stream <= last && one.place < std::uint64_t{1} << 53U;
}

void note_answer(remains& of, const saved_event& event) {
  auto read = read_message(event.text);
  auto one = std::get_if<message>(&read);
  if (one && one->kind == message_kind::response)
    of.answered.insert(one->id);
}

void note(remains& of, const saved_event& event) {
  if (event.place == 0)
    of.purpose = read_purpose(event.text).value_or(of.purpose);
  else if (event.vital)
    note_answer(of, event);
}

} // namespace

void streams::answers(exchange_id stream, const std::vector<std::string>& requests, effects& out) const {
  if (keeps_outside_)
    out.push_back(keep_event{{stream, 0, purpose_text({.answers = requests})}});
}

void streams::restore(const std::vector<saved_event>& events, exchange_id last, time_point now, effects& out) {
  newest_ = last;
  std::map<exchange_id, remains> left;
  for (auto& event : events) {
    if (!plausible(event, last))
      continue;
    note(left[event.stream], event);
    take_back(event);
  }
  for (auto& [stream, it] : all_) {
    auto& of = left.at(stream);
    it.what_for = of.purpose.listens ? purpose::listen : purpose::call;
    it.last_place += unsaved_places;
    std::erase_if(of.purpose.answers, [&](auto& id) { return of.answered.contains(id); });
    go_on(stream, it, of.purpose.answers, now, out);
  }
}

/// Places grow on each stream; what does not fit is nothing that we wrote.
void streams::take_back(const saved_event& event) {
  auto& it = all_[event.stream];
  if (event.place <= it.last_place)
    return;
  it.last_place = event.place;
  store_->append(event.stream, {event.place, event.text}, event.vital);
}

/// A call is never made twice, so that one whose answer is not there has failed.
void streams::go_on(exchange_id stream, one& it, const std::vector<std::string>& unanswered, time_point now,
                    effects& out) {
  if (it.what_for == purpose::listen)
    return release(stream, it, now);
  for (auto& id : unanswered)
    send(stream, error_text(id, error_code::internal_error, "The call was lost with the node that ran it"), true, out);
  finish(stream, now, out);
}

} // namespace troupe::protocol
