#include "protocol/trace/message_trace.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

/// Position in a trace that arrived with a request: in `traceparent` and `tracestate` of `params._meta` (SEP-414), or
/// else in the header fields of these names.
struct came_position {
  /// Nullopt if neither has a valid position.
  std::optional<trace_position> at;
  /// Whether `params._meta` has the position and the baggage, both unchanged.
  bool is_in_text = false;
  /// Baggage of `params._meta`, or else of the header, in a trace or not; may be empty.
  std::string baggage = {};
};

/// Texts about a trace in a request; empty where absent.
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

/// Quick test for a trace. Most requests have none, as `params_at` or a search for the words shows.
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

/// Joins several fields of a list (RFC 9110, 5.3). Several `traceparent` fields become an invalid one.
trace_texts texts_in_header(const http_request& request) {
  trace_texts result;
  for (auto& field : request.fields)
    if (auto* text = text_of_field(result, field.name))
      text->append(text->empty() ? "" : ",").append(without_blanks(field.value));
  return result;
}

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

trace_position new_position(const std::array<std::byte, 16>& random) {
  trace_position result;
  std::memcpy(&result.high, random.data(), sizeof result.high);
  std::memcpy(&result.low, random.data() + sizeof result.high, sizeof result.low);
  result.low |= result.high == 0 && result.low == 0 ? 1 : 0;
  return result;
}

/// Begins a trace. One that is not sampled has no span here: servers receive the id of a span that does not exist.
trace_position begun_position(const sampler& chosen, const std::array<std::byte, 16>& random) {
  auto result = new_position(random);
  result.is_sampled = chosen.samples_new(result.low);
  result.span = result.is_sampled ? 0 : (result.high ^ result.low) | 1;
  return result;
}

/// Decides on the sampling of a trace that another system has begun. True if the flag stays as it was.
bool take_over(trace_position& at, const sampler& chosen) {
  const auto before = std::exchange(at.is_sampled, chosen.samples(at));
  return before == at.is_sampled;
}

/// Member of `_meta` and its intended value; `is_there` once it is written.
struct meta_text {
  std::string_view name;
  std::string_view value;
  bool is_there = false;
};

/// Returns the members that are not there yet and have a value.
std::string members_to_add(std::vector<meta_text>& wanted, std::string_view more) {
  std::string result;
  for (auto& one : wanted)
    if (!one.is_there && !one.value.empty())
      result.append(result.empty() ? "" : ",").append(quoted(one.name)).append(":").append(quoted(one.value));
  if (!result.empty())
    result += more;
  return result;
}

edit inserted_after_brace(std::string_view text, std::string_view object, std::string what) {
  return replacing(text, object.substr(1, 0), std::move(what));
}

std::vector<edit> edits_in_meta(std::string_view text, std::string_view meta, std::vector<meta_text>& wanted) {
  std::vector<edit> result;
  bool has_others = false;
  for (object_reader members{meta}; members.next(); has_others = true)
    for (auto& one : wanted)
      if (members.key() == one.name) {
        one.is_there = true;
        result.push_back(replacing(text, members.value(), quoted(one.value)));
      }
  if (auto added = members_to_add(wanted, has_others ? "," : ""); !added.empty())
    result.push_back(inserted_after_brace(text, meta, std::move(added)));
  return result;
}

/// Whether a search for `_meta` is worthwhile: a search of all arguments of a call takes long.
bool may_have_meta(std::string_view text) {
  return text.find("_meta\"") != text.npos || text.find("\\u00") != text.npos;
}

bool is_empty_object(std::string_view object) {
  auto first = std::ranges::find_if_not(object.substr(1), is_json_space);
  return first != object.end() && *first == '}';
}

void append_member(std::string& to, std::string_view name, std::string_view value) {
  if (!value.empty())
    to.append(",\"").append(name).append("\":").append(quoted(value));
}

void insert_text(message& to, std::size_t at, std::string_view what) {
  to.text.insert(at, what);
  move_parts(to, at, static_cast<std::ptrdiff_t>(what.size()));
}

std::string meta_member(const trace_position& at) {
  constexpr std::size_t most_without_state = 96;
  std::string result;
  result.reserve(most_without_state + at.state.size() + at.baggage.size());
  result += R"("_meta":{"traceparent":")";
  append_traceparent(result, at);
  result += '"';
  append_member(result, "tracestate", at.state);
  append_member(result, "baggage", at.baggage);
  return result += '}';
}

/// Inserts `_meta` as the first of the params, which begin at `params_at` after their brace.
void put_meta(message& to, std::size_t params_at, const trace_position& at) {
  auto meta = meta_member(at);
  if (!is_empty_object(std::string_view{to.text}.substr(params_at - 1)))
    meta += ',';
  insert_text(to, params_at, meta);
  to.params_at = 0;
}

void add_params(message& to, const trace_position& at) {
  insert_text(to, to.text.rfind('}'), R"(,"params":{)" + meta_member(at) + "}");
}

void write_into_meta(message& to, std::string_view meta, const trace_position& at) {
  const auto parent = traceparent_text(at);
  std::vector<meta_text> wanted{{"traceparent", parent}, {"tracestate", at.state}, {"baggage", at.baggage}};
  auto edits = edits_in_meta(to.text, meta, wanted);
  to = spliced(std::move(to), std::move(edits));
}

} // namespace

request_trace trace_of(const message& request, const http_request& in, const sampler& chosen,
                       const std::array<std::byte, 16>& random, bool is_anonymous_remote) {
  auto came = position_of(request, in);
  request_trace result;
  if (came.at && !is_anonymous_remote) {
    result.at = std::move(*came.at);
    result.is_in_text = take_over(result.at, chosen) && came.is_in_text;
  } else {
    result.at = begun_position(chosen, random);
  }
  result.at.baggage = std::move(came.baggage);
  return result;
}

void write_trace(message& request) {
  auto& trace = *request.trace;
  if (trace.is_in_text || trace.at.span == 0)
    return;
  if (request.params_at != 0 && request.params_at < request.text.size())
    return put_meta(request, request.params_at, trace.at);
  auto params = member_start(request.text, {"params"});
  if (!params)
    return add_params(request, trace.at);
  auto meta = may_have_meta(request.text) ? member_start(*params, {"_meta"}) : std::nullopt;
  if (!meta)
    put_meta(request, static_cast<std::size_t>(params->data() - request.text.data()) + 1, trace.at);
  else if (meta->starts_with('{'))
    write_into_meta(request, *meta, trace.at);
}

} // namespace troupe::protocol
