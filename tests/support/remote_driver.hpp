#pragma once

#include "protocol/remote/remote_connection.hpp"
#include "tests/support/remote_effects.hpp"
#include "tests/support/session_driver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace troupe::tests {

using namespace protocol;
using namespace std::chrono_literals;

const std::string site = "https://example.com/mcp";
const http_fields json{{"Content-Type", "application/json"}};
const http_fields events{{"Content-Type", "text/event-stream"}};

inline remote_options at_site(remote_kind kind = remote_kind::detect) { return {.url = site, .kind = kind}; }

/// An SSE event as a server writes it, with or without an id.
inline std::string wire(std::string text, std::string id = {}) {
  return (id.empty() ? "" : "id: " + id + "\n") + "data: " + text + "\n\n";
}

/// `concerns` is for messages of a 2026-07-28 server before its answer.
inline deliver_message takes(std::string text, std::string concerns = {}) {
  return {gateway_message(std::move(text)), std::move(concerns)};
}
inline log_note warns(std::string text) { return {log_note::weight::warning, std::move(text)}; }

/// The failure when the server has forgotten the session, with the error of requests that may have run.
const lose_server forgotten{"the remote server ended the session", false, true};
const std::string session_over = "The remote server ended the session";

/// The header fields of a POST besides the configured ones.
inline http_fields post_fields(http_fields more = {}) {
  http_fields result{{"Accept", "application/json, text/event-stream"}, {"Content-Type", "application/json"}};
  result.insert(result.end(), more.begin(), more.end());
  return result;
}
inline http_fields get_fields(http_fields more = {}) {
  http_fields result{{"Accept", "text/event-stream"}};
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

const http_fields in_session{{"Mcp-Session-Id", "s1"}, {"MCP-Protocol-Version", "2025-11-25"}};

inline http_fields resuming(std::string last) {
  auto result = in_session;
  result.emplace_back("Last-Event-ID", std::move(last));
  return result;
}

/// Calls in the session: a request, another message, and the GET that listens or resumes.
inline send_call asks(http_call_id call, std::string text) {
  return {call, "POST", site, post_fields(in_session), std::move(text), 6min, call_priority::request};
}
inline send_call tells(http_call_id call, std::string text) {
  return {call, "POST", site, post_fields(in_session), std::move(text), 30s, call_priority::message};
}
inline send_call listens(http_call_id call) { return {call, "GET", site, get_fields(in_session), {}, 0s}; }
inline send_call listens(http_call_id call, std::string last) {
  return {call, "GET", site, get_fields(resuming(std::move(last))), {}, 0s};
}
inline send_call resumes(http_call_id call, std::string last) {
  return {call, "GET", site, get_fields(resuming(std::move(last))), {}, 6min, call_priority::resumed_request};
}

/// Drives the transport to a remote server. Time passes only explicitly.
struct remote_driver {
  explicit remote_driver(remote_options options = at_site()) : it{std::move(options), 1} {}

  remote_effects sends(std::string text) { return it.client_sent(gateway_message(std::move(text)), now); }
  remote_effects head(http_call_id call, int status, const http_fields& fields = {}) {
    return it.receive_event({call, call_head{status, fields}}, now);
  }
  remote_effects begins(http_call_id call) { return it.receive_event({call, call_begun{}}, now); }
  remote_effects body(http_call_id call, std::string_view bytes) {
    return it.receive_event({call, call_body{std::string{bytes}}}, now);
  }
  remote_effects ends(http_call_id call) { return it.receive_event({call, call_ended{}}, now); }
  remote_effects fails(http_call_id call, const std::string& why, bool is_shortage = false) {
    return it.receive_event({call, call_failed{why, is_shortage}}, now);
  }
  remote_effects withholds(http_call_id call, const std::string& why) {
    return it.receive_event({call, call_withheld{why}}, now);
  }
  remote_effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }
  /// Advances the time to the next deadline.
  remote_effects in_time() { return it.tick(now = it.deadline()); }

  /// A complete answer, and the effects of its end.
  remote_effects answers(http_call_id call, int status, const http_fields& fields, std::string_view text) {
    auto all = head(call, status, fields);
    for (auto part : {body(call, text), ends(call)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  /// Agrees on a version; the session is `s1`, and call 1 is used.
  remote_driver& agreed() {
    sends(hello("0"));
    auto fields = json;
    fields.emplace_back("Mcp-Session-Id", "s1");
    answers(1, 200, fields, welcome("0"));
    return *this;
  }
  /// Initializes the server: call 2 is used, and call 3 requests the listening stream.
  remote_driver& confirmed() {
    agreed().sends(initialized);
    head(2, 202);
    ends(2);
    return *this;
  }
  /// Opens the listening stream.
  remote_driver& opened() {
    confirmed().head(3, 200, events);
    return *this;
  }

  time_point now{1h};
  remote_server it;
};

/// Request 1 is in flight as call 4, long enough for the server to have received it.
struct asking : remote_driver {
  explicit asking(remote_options options = at_site()) : remote_driver{std::move(options)} {
    opened().sends(request("1", "m"));
    after(250ms);
  }
};

} // namespace troupe::tests
