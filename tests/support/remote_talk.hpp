#pragma once

#include "protocol/remote/remote_server.hpp"
#include "tests/support/remote_effects.hpp"
#include "tests/support/session_talk.hpp"

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

/// An SSE event as a server writes it; without an id where there is none.
inline std::string wire(std::string text, std::string id = {}) {
  return (id.empty() ? "" : "id: " + id + "\n") + "data: " + text + "\n\n";
}

/// `concerns` is for what a server of 2026-07-28 says before it answers.
inline deliver_message takes(std::string text, std::string concerns = {}) {
  return {gateway_message(std::move(text)), std::move(concerns)};
}
inline log_note warns(std::string text) { return {log_note::weight::warning, std::move(text)}; }

/// How a server is lost that has forgotten the session, and what is said of requests that it may have begun.
const lose_server forgotten{"the remote server ended the session", false, true};
const std::string session_over = "The remote server ended the session";

/// What a POST of ours has beside configured fields.
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

/// Ours in the session: a request, another message, the GET that listens or resumes.
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

/// A remote server's machine, and the hand that tells it facts. Time passes only when told.
struct remote_talk {
  explicit remote_talk(remote_options options = at_site()) : it{std::move(options), 1} {}

  remote_effects sends(std::string text) { return it.client_sent(gateway_message(std::move(text)), now); }
  remote_effects head(http_call_id call, int status, const http_fields& fields = {}) {
    return it.call_head(call, status, fields, now);
  }
  remote_effects begins(http_call_id call) { return it.call_begun(call, now); }
  remote_effects body(http_call_id call, std::string_view bytes) { return it.call_body(call, bytes, now); }
  remote_effects ends(http_call_id call) { return it.call_ended(call, now); }
  remote_effects fails(http_call_id call, const std::string& why) { return it.call_failed(call, why, now); }
  remote_effects withholds(http_call_id call, const std::string& why) { return it.call_withheld(call, why, now); }
  remote_effects after(std::chrono::nanoseconds time) { return it.tick(now += time); }
  /// Lets the time of the next deadline come.
  remote_effects in_time() { return it.tick(now = it.deadline()); }

  /// A whole answer: what its end has to say.
  remote_effects answers(http_call_id call, int status, const http_fields& fields, std::string_view text) {
    auto all = head(call, status, fields);
    for (auto part : {body(call, text), ends(call)})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  /// To where the versions are agreed on; the session is `s1`, and call 1 is used.
  remote_talk& agreed() {
    sends(hello("0"));
    auto fields = json;
    fields.emplace_back("Mcp-Session-Id", "s1");
    answers(1, 200, fields, welcome("0"));
    return *this;
  }
  /// To where the server is initialized: call 2 is used, and call 3 asks for the stream of its own messages.
  remote_talk& confirmed() {
    agreed().sends(initialized);
    head(2, 202);
    ends(2);
    return *this;
  }
  /// And the server has begun that stream.
  remote_talk& opened() {
    confirmed().head(3, 200, events);
    return *this;
  }

  time_point now{1h};
  remote_server it;
};

/// Request 1 is under way as call 4, and the server has had the time to hear it.
struct asking : remote_talk {
  explicit asking(remote_options options = at_site()) : remote_talk{std::move(options)} {
    opened().sends(request("1", "m"));
    after(250ms);
  }
};

} // namespace troupe::tests
