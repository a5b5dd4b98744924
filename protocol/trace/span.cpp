#include "protocol/trace/span.hpp"

#include "protocol/rejection.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace troupe::protocol {

namespace {

/// Cuts a text to `longest_span_value` bytes, never inside a UTF-8 character.
std::string without_rest(std::string text) {
  if (text.size() <= longest_span_value)
    return text;
  auto end = longest_span_value;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  text.resize(end);
  return text;
}

/// Formats an id as the conventions demand: the characters of a string, the digits of a number.
std::string id_text(const std::string& token) { return without_rest(string_value(token).value_or(token)); }

void add_target(span& to, const message& request, const operation& what) {
  if (request.is_method("tools/call")) {
    to.add("gen_ai.operation.name", "execute_tool");
    to.add("gen_ai.tool.name", std::string{what.name});
  } else if (request.is_method("prompts/get")) {
    to.add("gen_ai.prompt.name", std::string{what.name});
  } else if (request.method.starts_with("resources/")) {
    to.add("mcp.resource.uri", without_rest(string_param(request, "uri")));
  }
}

} // namespace

sampler::sampler(double share, bool follows)
    : bound_{static_cast<std::uint64_t>(std::clamp(share, 0.0, 1.0) * 0x1p63)}, follows_{follows} {}

void span::end(call_outcome how, std::chrono::nanoseconds duration) {
  took = duration;
  error = how.label();
  add("error.type", error);
  if (how.is == call_outcome::kind::error)
    add("rpc.response.status_code", std::to_string(how.code));
  else if (how.is == call_outcome::kind::lost && is == kind::server)
    add("rpc.response.status_code", std::to_string(error_code::internal_error)); // as sent to its client
}

span begin_span(message& request, const operation& what, const span_start& how) {
  auto& trace = *request.trace;
  span result{.is = how.is, .at = trace.at, .parent = trace.at.span, .began = how.now};
  result.is_parent_remote = how.is == span::kind::server && result.parent != 0;
  result.at.span = how.id;
  result.name = what.method;
  if (!what.name.empty())
    result.name.append(" ").append(what.name);
  result.add("mcp.method.name", std::string{what.method});
  add_target(result, request, what);
  result.add("jsonrpc.request.id", id_text(request.id));
  result.add("mcp.protocol.version", without_rest(trace.version));
  request.trace = std::make_shared<const request_trace>(request_trace{.at = result.at});
  return result;
}

} // namespace troupe::protocol
