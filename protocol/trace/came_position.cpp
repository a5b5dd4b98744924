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

std::string* text_of(trace_texts& all, std::string_view name) {
  if (name == "traceparent")
    return &all.parent;
  if (name == "tracestate")
    return &all.state;
  return name == "baggage" ? &all.baggage : nullptr;
}

std::string* text_of_field(trace_texts& all, std::string_view name) {
  const auto may_be = name.size() == 11 || name.size() == 10 || name.size() == 7;
  return may_be ? text_of(all, lower(name)) : nullptr;
}

/// Most requests have none, which a look for the words tells.
trace_texts texts_in_meta(const message& request) {
  trace_texts result;
  auto may_have = [&](std::string_view name) { return request.text.find(name) != std::string::npos; };
  if (!may_have("\"traceparent\"") && !may_have("\"baggage\""))
    return result;
  auto meta = member_start(request.text, {"params", "_meta"});
  if (!meta || !meta->starts_with('{'))
    return result;
  for (object_reader members{*meta}; members.next();)
    if (auto* text = text_of(result, members.key()))
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
  result.is_in_text = result.at.has_value();
  auto* from = &meta;
  if (!result.at) {
    result.at = read_traceparent(header.parent);
    from = &header;
  }
  if (result.at)
    result.at->state = passable(from->state, longest_tracestate);
  result.baggage = passable(meta.baggage.empty() ? header.baggage : meta.baggage, longest_baggage);
  return result;
}

} // namespace troupe::protocol
