#include "protocol/delivery/effects.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <cstddef>

namespace troupe::protocol {

namespace {

bool can_be_id(std::string_view token) {
  return !token.empty() && token.size() <= longest_id && token.front() != '{' && token.front() != '[';
}

std::optional<stream_role> read_answers(std::string_view array) {
  if (array.front() != '[')
    return std::nullopt;
  stream_role result;
  for (array_reader ids{array}; ids.next();) {
    if (result.answers.size() == max_batch || !can_be_id(ids.value()))
      return std::nullopt;
    result.answers.emplace_back(ids.value());
  }
  return result;
}

constexpr std::size_t much = 64 * 1024;

std::optional<exchange_id> exchange_streamed(const effect& one) {
  if (auto* begin = std::get_if<open_stream>(&one))
    return begin->exchange;
  if (auto* event = std::get_if<publish>(&one))
    return event->exchange;
  if (auto* end = std::get_if<end_stream>(&one))
    return end->exchange;
  return std::nullopt;
}

/// Adds an effect to the part. False if it does not belong there.
bool add_to_part(const effect& one, stream_part& to) {
  if (to.ends || exchange_streamed(one) != to.exchange)
    return false;
  if (auto* event = std::get_if<publish>(&one); event && to.events.size() <= much) {
    encode_to(to.events, event->what);
    return true;
  }
  return to.ends = std::holds_alternative<end_stream>(one);
}

} // namespace

std::string stream_role_text(const stream_role& of) {
  if (of.listens)
    return R"({"listens":true})";
  return R"({"answers":[)" + joined(of.answers, ",") + "]}";
}

std::optional<stream_role> read_stream_role(std::string_view text) {
  if (json_error(text))
    return std::nullopt;
  if (find_member(text, {"listens"}) == "true")
    return stream_role{.listens = true};
  auto answers = find_member(text, {"answers"});
  return answers ? read_answers(*answers) : std::nullopt;
}

std::optional<stream_part> take_stream_part(effects::iterator& at, effects::iterator end) {
  auto exchange = exchange_streamed(*at);
  if (!exchange)
    return std::nullopt;
  stream_part result{.exchange = *exchange, .begins = std::holds_alternative<open_stream>(*at)};
  if (result.begins)
    ++at;
  while (at != end && add_to_part(*at, result))
    ++at;
  return result;
}

} // namespace troupe::protocol
