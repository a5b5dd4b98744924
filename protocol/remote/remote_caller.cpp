#include "protocol/remote/remote_caller.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/url.hpp"
#include "protocol/trace/trace_position.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

/// Fields that the transport sets itself, or that would change the framing of a message.
constexpr std::array<std::string_view, 17> reserved{"Accept",
                                                    "Content-Type",
                                                    "Content-Length",
                                                    "Transfer-Encoding",
                                                    "Mcp-Session-Id",
                                                    "Last-Event-ID",
                                                    "Host",
                                                    "Connection",
                                                    "Keep-Alive",
                                                    "Upgrade",
                                                    "TE",
                                                    "MCP-Protocol-Version",
                                                    "Mcp-Method",
                                                    "Mcp-Name",
                                                    "Trailer",
                                                    "Proxy-Connection",
                                                    "Expect"};

bool is_reserved(std::string_view name) {
  constexpr std::string_view argument = "Mcp-Param-";
  return same_word(name.substr(0, argument.size()), argument) ||
         std::any_of(reserved.begin(), reserved.end(), [&](auto one) { return same_word(one, name); });
}

bool leads_elsewhere(const http_fields& fields, const std::string& url) {
  auto target = resolved(url, field_value(fields, "Location"));
  return !target || !same_origin(*target, url);
}

void add_trace(const trace_position& at, http_fields& to) {
  if (at.span != 0)
    to.emplace_back("traceparent", traceparent_text(at));
  if (!at.state.empty())
    to.emplace_back("tracestate", at.state);
  if (!at.baggage.empty())
    to.emplace_back("baggage", at.baggage);
}

} // namespace

bool may_hold_error(int status) { return status == 400 || status == 404 || status == 405; }

bool is_about_request(int status) {
  constexpr std::array<int, 6> about_others{401, 403, 407, 408, 425, 429};
  return status >= 400 && status < 500 && std::ranges::find(about_others, status) == about_others.end();
}

bool may_lack_session(int status) {
  constexpr std::array<int, 6> all{400, 404, 405, 406, 415, 422};
  return std::ranges::find(all, status) != all.end();
}

remote_caller::remote_caller(http_fields configured) : configured_{std::move(configured)} {
  std::erase_if(configured_, [](auto& field) { return is_reserved(field.first); });
}

http_fields remote_caller::fields(http_fields of_protocol) const {
  of_protocol.insert(of_protocol.end(), configured_.begin(), configured_.end());
  return of_protocol;
}

/// 2025-11-25, transports, "Sending Messages to the Server" 2
http_call_id remote_caller::post(const std::string& url, message what, http_fields of_protocol,
                                 std::chrono::milliseconds patience, call_priority turn, remote_effects& out) {
  http_fields all;
  all.reserve(2 + of_protocol.size() + (what.trace ? 3 : 0) + configured_.size());
  all.emplace_back("Accept", "application/json, text/event-stream");
  all.emplace_back("Content-Type", "application/json");
  all.insert(all.end(), of_protocol.begin(), of_protocol.end());
  if (what.trace)
    add_trace(what.trace->at, all);
  out.push_back(send_call{++last_, "POST", url, fields(std::move(all)), std::move(what.text), patience, turn,
                          std::move(what.requester)});
  return last_;
}

http_call_id remote_caller::get(const std::string& url, http_fields of_protocol, std::chrono::milliseconds patience,
                                call_priority turn, std::shared_ptr<const principal> requester, remote_effects& out) {
  http_fields all{{"Accept", "text/event-stream"}};
  all.insert(all.end(), of_protocol.begin(), of_protocol.end());
  out.push_back(send_call{++last_, "GET", url, fields(std::move(all)), {}, patience, turn, std::move(requester)});
  return last_;
}

std::string_view field_value(const http_fields& fields, std::string_view name) {
  auto found = std::find_if(fields.begin(), fields.end(), [&](auto& field) { return same_word(field.first, name); });
  return found == fields.end() ? std::string_view{} : without_blanks(found->second);
}

/// A redirect that arrives here was not followed: it could send credentials to another host, or change the request.
/// Refused credentials are the gateway's own: passing the challenge on would send the client to a foreign authorization
/// server.
std::string refusal_text(int status, const http_fields& fields, const std::string& url) {
  auto number = std::to_string(status);
  if (status >= 200 && status < 300)
    return {};
  if (status >= 300 && status < 400)
    return "The remote MCP server redirects" + std::string{leads_elsewhere(fields, url) ? " to another origin" : ""} +
           ", which is not followed (HTTP " + number + ")";
  if (status == 401 || status == 403)
    return "The remote MCP server refused the gateway's credentials (HTTP " + number + ")";
  return "The remote MCP server answered HTTP " + number;
}

void note_refusal(int status, const http_fields& fields, remote_effects& out) {
  if (status >= 300 && status < 400) {
    auto to = field_value(fields, "Location");
    out.push_back(log_note{log_note::weight::warning,
                           "server redirects, which is not followed (HTTP " + std::to_string(status) + ")",
                           {{"to", one_line(to.substr(0, to.find('?')))}}}); // the query may hold a secret
  }
  if (status == 401 || status == 403)
    out.push_back(
        log_note{log_note::weight::warning, "server refused our credentials (HTTP " + std::to_string(status) + ")"});
}

std::string words_of(std::string_view refusal) {
  if (json_error(refusal) || !trimmed(refusal).starts_with('{'))
    return {};
  auto words = one_line(string_member(refusal, {"error", "message"}));
  return words.empty() ? words : ": " + words;
}

} // namespace troupe::protocol
