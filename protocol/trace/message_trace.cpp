#include "protocol/trace/message_trace.hpp"

#include "protocol/message/splice.hpp"
#include "protocol/text/member_start.hpp"
#include "protocol/trace/came_position.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

trace_position new_position(const std::array<std::byte, 16>& random) {
  trace_position result;
  std::memcpy(&result.high, random.data(), sizeof result.high);
  std::memcpy(&result.low, random.data() + sizeof result.high, sizeof result.low);
  result.low |= result.high == 0 && result.low == 0 ? 1 : 0;
  return result;
}

/// One that is not sampled has no span of its own: servers are named one that nobody has.
trace_position begun_position(const sampler& chosen, const std::array<std::byte, 16>& random) {
  auto result = new_position(random);
  result.is_sampled = chosen.takes_new(result.low);
  result.span = result.is_sampled ? 0 : (result.high ^ result.low) | 1;
  return result;
}

/// What another system has begun. True when it is taken as that says.
bool take_over(trace_position& at, const sampler& chosen) {
  const auto before = std::exchange(at.is_sampled, chosen.takes(at));
  return before == at.is_sampled;
}

/// A member of `_meta` and what it is to say; `is_there` once it does.
struct meta_text {
  std::string_view name;
  std::string_view value;
  bool is_there = false;
};

/// Members that are there say it from now on; what has nothing to say is not added.
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

/// Whether a look for `_meta` is worth it: to look through all arguments of a call takes long.
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

/// Most requests have no `_meta` yet: it becomes the first of the params.
void insert_meta(message& to, std::optional<std::string_view> params, const trace_position& at) {
  std::string meta = params ? R"("_meta":{"traceparent":")" : R"(,"params":{"_meta":{"traceparent":")";
  meta.append(traceparent_text(at)).append(1, '"');
  append_member(meta, "tracestate", at.state);
  append_member(meta, "baggage", at.baggage);
  meta += !params ? "}}" : is_empty_object(*params) ? "}" : "},";
  insert_text(to, params ? static_cast<std::size_t>(params->data() - to.text.data()) + 1 : to.text.rfind('}'), meta);
}

void write_into_meta(message& to, std::string_view meta, const trace_position& at) {
  const auto parent = traceparent_text(at);
  std::vector<meta_text> wanted{{"traceparent", parent}, {"tracestate", at.state}, {"baggage", at.baggage}};
  auto edits = edits_in_meta(to.text, meta, wanted);
  to = spliced(std::move(to), std::move(edits));
}

} // namespace

request_trace trace_of(const message& request, const http_request& in, const sampler& chosen,
                       const std::array<std::byte, 16>& random) {
  auto came = position_of(request, in);
  request_trace result;
  if (came.at) {
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
  auto params = member_start(request.text, {"params"});
  auto meta = params && may_have_meta(request.text) ? member_start(*params, {"_meta"}) : std::nullopt;
  if (!meta)
    insert_meta(request, params, trace.at);
  else if (meta->starts_with('{'))
    write_into_meta(request, *meta, trace.at);
}

} // namespace troupe::protocol
