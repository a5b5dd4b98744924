#include "protocol/trace/otlp_json.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/whole_number.hpp"

#include <chrono>
#include <numeric>
#include <variant>

namespace troupe::protocol {

namespace {

constexpr unsigned sampled_span = 0x01;
constexpr unsigned is_remote_known = 0x100;
constexpr unsigned is_remote = 0x200;

std::string attribute_text(std::string_view name, std::string_view type, std::string_view value) {
  return (R"({"key":)" + quoted(name)).append(R"(,"value":{")").append(type).append("\":").append(quoted(value)) + "}}";
}

std::string attribute_text(const span_attribute& one) {
  if (auto* number = std::get_if<std::int64_t>(&one.value))
    return attribute_text(one.name, "intValue", std::to_string(*number));
  return attribute_text(one.name, "stringValue", std::get<std::string>(one.value));
}

std::string nanoseconds_text(std::chrono::system_clock::time_point at, std::chrono::nanoseconds later = {}) {
  auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()) + later;
  return '"' + std::to_string(since.count()) + '"';
}

unsigned flags_of(const span& one) { return sampled_span | is_remote_known | (one.is_parent_remote ? is_remote : 0U); }

template <class All, class Text>
std::string texts_of_all(const All& all, Text text_of) {
  std::string result;
  for (auto& one : all)
    result.append(result.empty() ? "" : ",").append(text_of(one));
  return result;
}

} // namespace

std::string otlp_text(const span& one) {
  auto result = R"({"traceId":")" + trace_id_text(one.at) + R"(","spanId":")" + span_id_text(one.at.span) + '"';
  if (one.parent != 0)
    result += R"(,"parentSpanId":")" + span_id_text(one.parent) + '"';
  if (!one.at.state.empty())
    result += R"(,"traceState":)" + quoted(one.at.state);
  result += R"(,"flags":)" + std::to_string(flags_of(one)) + R"(,"name":)" + quoted(one.name);
  result += R"(,"kind":)" + std::to_string(static_cast<int>(one.is));
  result += R"(,"startTimeUnixNano":)" + nanoseconds_text(one.began);
  result += R"(,"endTimeUnixNano":)" + nanoseconds_text(one.began, one.took);
  result += R"(,"attributes":[)" +
            texts_of_all(one.attributes, [](const span_attribute& each) { return attribute_text(each); }) + ']';
  return result + (one.error.empty() ? R"(,"status":{}})" : R"(,"status":{"code":2}})");
}

std::string otlp_head(const std::vector<std::pair<std::string, std::string>>& resource, std::string_view version) {
  auto attributes =
      texts_of_all(resource, [](auto& each) { return attribute_text(each.first, "stringValue", each.second); });
  return R"({"resourceSpans":[{"resource":{"attributes":[)" + attributes +
         R"(]},"scopeSpans":[{"scope":{"name":"troupe","version":)" + quoted(version) + R"(},"spans":[)";
}

std::string otlp_request(std::string_view head, const std::vector<std::string>& spans) {
  std::string result{head};
  result.reserve(std::accumulate(spans.begin(), spans.end(), head.size() + 16,
                                 [](std::size_t size, auto& one) { return size + one.size() + 1; }));
  for (auto& one : spans)
    result.append(&one == &spans.front() ? "" : ",").append(one);
  return result += "]}]}]}";
}

std::uint64_t otlp_rejected(std::string_view answer) {
  if (json_error(answer) || !trimmed(answer).starts_with('{'))
    return 0;
  auto token = find_member(answer, {"partialSuccess", "rejectedSpans"});
  return token ? unsigned_number(string_value(*token).value_or(std::string{*token})).value_or(0) : 0;
}

} // namespace troupe::protocol
