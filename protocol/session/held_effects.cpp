#include "protocol/session/held_effects.hpp"

#include "protocol/delivery/backlog.hpp"

#include <algorithm>
#include <variant>

namespace troupe::protocol {

namespace {

std::size_t text_bytes(const forward& one) { return one.what.text.size(); }
std::size_t text_bytes(const reply& one) { return one.text.size(); }
std::size_t text_bytes(const publish& one) { return one.what.data.size(); }
std::size_t text_bytes(const remember& one) { return one.record.size(); }
std::size_t text_bytes(const keep_event& one) { return one.what.text.size(); }

std::size_t text_bytes(const pass_on& one) {
  std::size_t result = 0;
  if (auto post = std::get_if<waiting_post>(&one.what))
    for (auto& each : post->body.messages)
      result += each.text.size();
  return result;
}

/// The others have no text of a client or a server.
template <class Effect>
std::size_t text_bytes(const Effect&) {
  return 0;
}

std::size_t bytes_of_effect(const effect& one) {
  return sizeof one + std::visit([](auto& each) { return text_bytes(each); }, one);
}

bool is_record(const effect& one) { return std::holds_alternative<remember>(one); }

} // namespace

void held_effects::add(effects more) {
  for (auto& one : more) {
    if (is_record(one))
      drop_record();
    is_over_ = is_over_ || std::holds_alternative<end_session>(one);
    counted_.add(bytes_of_effect(one));
    held_.push_back(std::move(one));
  }
}

std::optional<std::string_view> held_effects::trouble() const {
  if (is_over_)
    return "it is over";
  if (held_.size() > most || bytes() > counted_.allowed(most_bytes, backlog::least_bytes))
    return "it has too much to say";
  return std::nullopt;
}

void held_effects::drop_record() {
  auto found = std::ranges::find_if(held_, is_record);
  if (found == held_.end())
    return;
  counted_.remove(bytes_of_effect(*found));
  held_.erase(found);
}

effects held_effects::take() {
  if (held_.empty())
    return {};
  counted_.remove(bytes());
  is_over_ = false;
  return std::exchange(held_, {});
}

} // namespace troupe::protocol
