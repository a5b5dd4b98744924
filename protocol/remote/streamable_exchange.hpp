#pragma once

#include "protocol/message/era.hpp"
#include "protocol/message/message.hpp"
#include "protocol/remote/remote_caller.hpp"
#include "protocol/remote/remote_effects.hpp"
#include "protocol/remote/remote_exchanges.hpp"
#include "protocol/text/words.hpp"
#include "protocol/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Position up to which a server's stream was read, to resume it over another connection, and time of the next attempt.
struct resume_point {
  /// Attempts without progress after which an answer is given up.
  static constexpr unsigned most_attempts = 5;

  std::string last_event = {};
  std::optional<std::chrono::milliseconds> retry = {};
  unsigned attempts = 0;
  /// Caller whose request the stream answers; null for no caller in particular.
  std::shared_ptr<const principal> requester = {};

  /// Records progress of the stream.
  void progressed(std::string_view at) {
    attempts = 0;
    if (!at.empty())
      last_event = at;
  }

  /// Returns the pause before the next attempt: the server's choice or one second, growing by half with every failed
  /// attempt, up to 30 seconds (2025-11-25, transports, "Sending Messages to the Server" 6). A floor of 100 ms protects
  /// servers that ask for no pause.
  std::chrono::milliseconds pause() const {
    constexpr std::chrono::milliseconds longest = std::chrono::seconds{30};
    constexpr std::chrono::milliseconds shortest{100};
    auto asked = std::max(retry.value_or(std::chrono::seconds{1}), shortest);
    auto grown = asked;
    for (unsigned i = 0; i < attempts && grown < longest; ++i)
      grown += grown / 2;
    return std::max(asked, std::min(grown, longest));
  }
};

/// Streams of a server that wait to reconnect, each by the id of the request that it answers; the id is empty for the
/// stream of the server's own messages. A stream waits once at most.
class stream_reconnects {
public:
  /// Stream whose pause is over.
  struct stream {
    std::string id;
    resume_point at;
  };

  /// `seed` randomizes the pauses.
  explicit stream_reconnects(std::uint64_t seed) : dice_{seed} {}

  /// Adds jitter, so that clients do not reconnect all at once to a server that comes back.
  void wait(const std::string& id, resume_point at, time_point now) {
    auto pause = at.pause();
    pause += std::chrono::milliseconds{dice_() % static_cast<std::uint64_t>(pause.count() / 10 + 1)};
    ++at.attempts;
    waiting_.insert_or_assign(id, waiting{std::move(at), now + pause});
  }

  /// The request needs no answer any more.
  void forget(const std::string& id) { waiting_.erase(id); }
  void clear() { waiting_.clear(); }

  /// Removes the streams that are to reconnect now.
  std::vector<stream> extract_due(time_point now) {
    std::vector<stream> due;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      if (auto here = at++; now >= here->second.when) {
        auto node = waiting_.extract(here);
        due.push_back({std::move(node.key()), std::move(node.mapped().at)});
      }
    return due;
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> result;
    for (auto& [id, one] : waiting_)
      result.push_back(id);
    return result;
  }

  /// Time at which the first stream is to reconnect.
  time_point deadline() const {
    auto first = time_point::max();
    for (auto& [id, one] : waiting_)
      first = std::min(first, one.when);
    return first;
  }

private:
  struct waiting {
    resume_point at;
    time_point when;
  };

  std::mt19937_64 dice_;
  std::map<std::string, waiting> waiting_;
};

/// Session with a server of Streamable HTTP, as the server names it. The id is empty when there is none, and fit for a
/// header field otherwise. The end, once known, is never put off.
class remote_session {
public:
  bool has_id() const { return !id_.empty(); }

  /// Takes the server's session id, which is sent back in header fields (2025-11-25, transports, "Session Management"
  /// 1). False when it is invalid.
  bool read_id(const http_fields& of_initialize) {
    auto is_it = [](auto& field) { return same_word(field.first, "Mcp-Session-Id"); };
    auto lines = std::count_if(of_initialize.begin(), of_initialize.end(), is_it);
    auto id = field_value(of_initialize, "Mcp-Session-Id");
    if (lines == 1 && is_session_id(id))
      id_ = id;
    return lines == 0 || !id_.empty();
  }

  /// Session and version fields (2025-11-25, transports, "Session Management" 2 and "Protocol Version Header").
  /// `version` is empty until it is negotiated.
  http_fields fields(const std::string& version) const {
    http_fields result;
    if (!id_.empty())
      result.emplace_back("Mcp-Session-Id", id_);
    if (!version.empty())
      result.emplace_back("MCP-Protocol-Version", version);
    return result;
  }

  /// The server has forgotten the session, which ends by this time.
  void ends_by(time_point when) { ends_at_ = std::min(ends_at_, when); }
  bool is_ending() const { return ends_at_ != time_point::max(); }
  time_point end() const { return ends_at_; }

private:
  static bool is_session_id(std::string_view text) {
    constexpr std::size_t longest = 1024;
    auto is_visible = [](char c) { return c > ' ' && c < '\x7f'; };
    return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), is_visible);
  }

  std::string id_;
  /// Time of the session's end once the server has forgotten it; until then the heads of other answers are awaited.
  time_point ends_at_ = time_point::max();
};

/// HTTP exchange of Streamable HTTP with sessions: the POST of a message, or the GET of a stream.
struct streamable_exchange : remote_exchange {
  /// Purpose of an exchange. A `stream` is a GET: with an id it resumes the answer to that request, without an id it
  /// listens for the server's own messages. A `cancelled` exchange has lost its id, but the server may still send
  /// messages there. A `rest` is read to its end and dropped.
  enum class kind { request, initialized, other, stream, cancelled, rest };

  kind is = kind::other;
  /// Whether it was sent in a session.
  bool with_session = false;
  /// Whether the answer is a stream, read or not.
  bool is_stream = false;
  resume_point at = {};
  /// Start of the exchange, and start of its stream.
  time_point posted = {};
  time_point opened = {};

  /// POST of a message.
  streamable_exchange(const message& what, const remote_session& in, const remote_options& options, time_point now);
  /// GET that resumes the answer to a request, or that listens without an id.
  streamable_exchange(const std::string& of_request, resume_point from, const remote_session& in,
                      const remote_options& options);

  bool listens() const { return is == kind::stream && id.empty(); }
  /// Time by which the server has surely received the request; min() when it has.
  time_point received_by() const;

  // -- answer
  /// A part of the answer has arrived.
  void note_received(time_point now);
  void read(remote_answer::form form, const remote_options& options) { answer = {form, options.message}; }
  void read_refusal(const remote_options& options, time_point now);
  /// Returns the messages that the bytes complete, and notes how far the stream was read.
  std::vector<std::string> feed(std::string_view bytes);

  // -- ends
  /// Notes an interruption of the stream.
  void interrupted(time_point now);
  /// Leaves the exchange open for further messages of the server, after its request was cancelled.
  void cancel(time_point now, remote_effects& out);
  /// Reads the rest of an answer that is no longer needed, so that its connection can be used again. A stream, which
  /// may stay open for long, is released so that other requests do not wait for its end.
  void settle(time_point now, remote_effects& out);
};

/// Detection, from refusals, of a server that does not speak Streamable HTTP with sessions, but HTTP+SSE or the
/// stateless revision (2026-07-28). Only refusals of `initialize` are noted; the configuration may rule out either.
class transport_detection {
public:
  explicit transport_detection(const remote_options& options) : options_{options} {}

  /// Notes a refusal of `initialize`. True if servers of HTTP+SSE answer this way.
  bool note_refusal(const streamable_exchange& one) {
    if (!may_be_of_sse(one))
      return false;
    transport_mismatch_ = one.refusal;
    return true;
  }

  /// Notes an error with which `initialize` was refused; `text` is its body. True if stateless servers answer this way.
  bool note_error(const streamable_exchange& one, const message& error, std::string_view text) {
    if (!is_stateless(one, error))
      return false;
    possible_mismatch_ = may_be_of_sse(one) ? one.refusal + words_of(text) : "";
    return true;
  }

  /// Whether a stateless (2026-07-28) server has replaced the server of the session, which refused a later request.
  bool is_replaced(const streamable_exchange& one, const message& error) const {
    return one.status == 400 && is_stateless(one, error);
  }

  // -- see `http_transport`
  const std::string& transport_mismatch() const { return transport_mismatch_; }
  const std::string& possible_mismatch() const { return possible_mismatch_; }

private:
  /// Servers of 2024-11-05 refuse a POST to the URL of their stream (2025-11-25, transports, "Backwards
  /// Compatibility").
  bool may_be_of_sse(const streamable_exchange& one) const {
    constexpr std::array<int, 5> of_other_servers{400, 404, 405, 406, 415};
    auto other = std::find(of_other_servers.begin(), of_other_servers.end(), one.status) != of_other_servers.end();
    return other && one.is == streamable_exchange::kind::request && options_.kind == remote_kind::detect;
  }

  /// Accepts an error that names no request: a header field of the request may have been wrong.
  bool is_stateless(const streamable_exchange& one, const message& error) const {
    return options_.era == server_era::automatic && is_surely_modern(error, one.status) && answers(error, one.id);
  }

  const remote_options& options_;
  std::string transport_mismatch_;
  std::string possible_mismatch_;
};

} // namespace troupe::protocol
