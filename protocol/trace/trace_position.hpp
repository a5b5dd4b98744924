#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Where in a trace something happens, and what travels along with that (W3C, Trace Context and Baggage).
struct trace_position {
  /// The id of the trace; both halves are zero for none.
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  /// The span that what comes next is a part of; zero when a trace begins.
  std::uint64_t span = 0;
  bool is_sampled = false;
  /// The trace's id is as random as level 2 wants it.
  bool is_random = false;
  /// Other systems' words about the trace, `tracestate`.
  std::string state = {};
  std::string baggage = {};

  friend bool operator==(const trace_position&, const trace_position&) = default;
};

/// Reads a `traceparent`. Of a version that is newer than ours what ours has counts. Nothing when it is anything else:
/// then there is no trace, whatever else was said.
std::optional<trace_position> read_traceparent(std::string_view text);
/// Of version 00.
std::string traceparent_text(const trace_position& of);
void append_traceparent(std::string& to, const trace_position& of);

/// 32 hexadecimal digits.
std::string trace_id_text(const trace_position& of);
/// Writes them to where there is room for them.
void write_trace_id(const trace_position& of, char* to);
/// 16 hexadecimal digits.
std::string span_id_text(std::uint64_t id);

/// Longest `tracestate` and `baggage` that are passed on, in bytes, as the specifications ask for at least.
inline constexpr std::size_t longest_tracestate = 512;
inline constexpr std::size_t longest_baggage = 8192;

/// The text, unless it is longer than that or has in it what no header field may; empty then.
std::string passable(std::string_view text, std::size_t longest);

/// What is known of the trace that a request belongs to.
struct request_trace {
  trace_position at;
  /// The text of the request says the same.
  bool is_in_text = false;
  /// Of one that is sampled: the address of the client, and the revision that its header names; may be empty.
  std::string client = {};
  std::string version = {};

  friend bool operator==(const request_trace&, const request_trace&) = default;
};

} // namespace troupe::protocol
