#include "protocol/http/known_fields.hpp"

#include "protocol/http/original_request.hpp"
#include "protocol/text/http_syntax.hpp"
#include "protocol/text/words.hpp"

namespace troupe::protocol {

namespace {

/// Value that clients built with the official SDKs send.
constexpr std::string_view usual_accept = "application/json, text/event-stream";

bool is_another_site(std::string_view value) {
  auto site = without_blanks(value);
  return same_word(site, "cross-site") || same_word(site, "same-site");
}

} // namespace

void known_fields::field::note(std::string_view one) {
  if (count++ == 0)
    value = without_blanks(one);
}

known_fields::known_fields(const std::vector<http_field>& fields) {
  for (auto& one : fields)
    note(one);
}

void known_fields::note(const http_field& one) {
  if (same_word(one.name, "Host"))
    return host.note(one.value);
  if (same_word(one.name, "Content-Type"))
    return content_type.note(one.value);
  if (same_word(one.name, "Mcp-Session-Id"))
    return session.note(one.value);
  if (same_word(one.name, "MCP-Protocol-Version"))
    return version.note(one.value);
  if (same_word(one.name, "Origin"))
    return origin.note(one.value);
  if (same_word(one.name, "Sec-Fetch-Site"))
    of_another_site = of_another_site || is_another_site(one.value);
  if (!same_word(one.name, "Accept")) {
    is_passed_on = is_passed_on || is_mark_of_proxy(one.name);
    return;
  }
  auto is_usual = one.value == usual_accept;
  accepts_json = accepts_json || is_usual || accepts(one.value, "application", "json");
  accepts_events = accepts_events || is_usual || accepts(one.value, "text", "event-stream");
}

} // namespace troupe::protocol
