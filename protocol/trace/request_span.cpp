#include "protocol/trace/request_span.hpp"

#include <algorithm>
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

void client_spans::sent(message& request, const span_start& how, time_point now) {
  if (under_way_.size() == most)
    under_way_.erase(under_way_.begin());
  auto begun = begin_span(request, operation_of(request), how);
  begun.add("troupe.server", server_->server);
  begun.add("network.transport", std::string{server_->transport});
  begun.add("server.address", server_->address);
  if (server_->port != 0)
    begun.attributes.push_back({"server.port", std::int64_t{server_->port}});
  under_way_.push_back({request.id, now, std::move(begun)});
}

std::optional<span> client_spans::heard(const message& what, time_point now) {
  if (what.kind == message_kind::response)
    return end(what.id, what.outcome, now);
  if (is_cancellation(what))
    return end(what.reference, {call_outcome::kind::cancelled}, now);
  return std::nullopt;
}

std::vector<span> client_spans::end_all(call_outcome how, time_point now) {
  std::vector<span> result;
  for (auto& one : under_way_) {
    one.what.end(how, now - one.began);
    result.push_back(std::move(one.what));
  }
  under_way_.clear();
  return result;
}

std::optional<span> client_spans::end(std::string_view id, call_outcome how, time_point now) {
  auto found = std::ranges::find(under_way_, id, &request::id);
  if (found == under_way_.end())
    return std::nullopt;
  found->what.end(how, now - found->began);
  auto result = std::move(found->what);
  under_way_.erase(found);
  return result;
}

} // namespace troupe::protocol
