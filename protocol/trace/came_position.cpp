#include "protocol/trace/came_position.hpp"

#include "protocol/text/member_start.hpp"
#include "protocol/text/words.hpp"

#include <string_view>
#include <utility>

namespace troupe::protocol {

namespace {

/// The texts about a trace, as a request has them; empty where there are none.
struct trace_texts {
  std::string parent, state, baggage;
};

std::string* text_of_member(trace_texts& all, std::string_view name) {
  if (name == "traceparent")
    return &all.parent;
  if (name == "tracestate")
    return &all.state;
  return name == "baggage" ? &all.baggage : nullptr;
}

std::string* text_of_field(trace_texts& all, std::string_view name) {
  if (same_word(name, "traceparent"))
    return &all.parent;
  if (same_word(name, "tracestate"))
    return &all.state;
  return same_word(name, "baggage") ? &all.baggage : nullptr;
}

/// Most requests have none, which is known of them, or a look for the words tells.
bool may_say_where(const message& request) {
  if (request.params_at != 0)
    return false;
  auto has = [&](std::string_view word) { return request.text.find(word) != request.text.npos; };
  return has("_meta\"") && (has("\"traceparent\"") || has("\"baggage\""));
}

trace_texts texts_in_meta(const message& request) {
  trace_texts result;
  auto meta = may_say_where(request) ? member_start(request.text, {"params", "_meta"}) : std::nullopt;
  if (!meta || !meta->starts_with('{'))
    return result;
  for (object_reader members{*meta}; members.next();)
    if (auto* text = text_of_member(result, members.key()))
      *text = string_value(members.value()).value_or("");
  return result;
}

/// Several fields of a list are one (RFC 9110, 5.3); several of what is no list are none.
trace_texts texts_in_header(const http_request& request) {
  trace_texts result;
  for (auto& field : request.fields)
    if (auto* text = text_of_field(result, field.name))
      text->append(text->empty() ? "" : ",").append(without_blanks(field.value));
  return result;
}

} // namespace

came_position position_of(const message& request, const http_request& in) {
  auto meta = texts_in_meta(request), header = texts_in_header(in);
  came_position result{read_traceparent(meta.parent)};
  auto* from = &meta;
  if (!result.at) {
    result.at = read_traceparent(header.parent);
    from = &header;
  }
  if (result.at)
    result.at->state = passable(from->state, longest_tracestate);
  result.baggage = passable(meta.baggage.empty() ? header.baggage : meta.baggage, longest_baggage);
  result.is_in_text = result.at && from == &meta && result.at->state == meta.state && result.baggage == meta.baggage;
  return result;
}

} // namespace troupe::protocol
