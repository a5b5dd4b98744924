#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Position in a trace, and the data that travels with it (W3C, Trace Context and Baggage).
struct trace_position {
  /// Id of the trace; both halves are zero for none.
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  /// Parent of the next span; zero if a trace begins.
  std::uint64_t span = 0;
  bool is_sampled = false;
  /// Whether the trace's id is random as level 2 demands.
  bool is_random = false;
  /// Data of other systems about the trace, `tracestate`.
  std::string state = {};
  std::string baggage = {};

  friend bool operator==(const trace_position&, const trace_position&) = default;
};

/// Parses a `traceparent`; of a newer version, the fields of version 00. Nullopt if it is invalid: then there is no
/// trace, regardless of other fields.
std::optional<trace_position> read_traceparent(std::string_view text);
/// Formats a `traceparent` of version 00.
std::string traceparent_text(const trace_position& of);
void append_traceparent(std::string& to, const trace_position& of);

/// Returns the 32 hexadecimal digits of the trace's id.
std::string trace_id_text(const trace_position& of);
/// Writes these 32 digits to `to`.
void write_trace_id(const trace_position& of, char* to);
/// Returns 16 hexadecimal digits.
std::string span_id_text(std::uint64_t id);

/// Longest `tracestate` and `baggage` that are passed on, in bytes: the minimum that the specifications demand.
inline constexpr std::size_t longest_tracestate = 512;
inline constexpr std::size_t longest_baggage = 8192;

/// Returns the text without blanks around it; empty if too long, or if a header field may not contain it.
std::string passable(std::string_view text, std::size_t longest);

/// Trace that a request belongs to.
struct request_trace {
  trace_position at;
  /// Whether the text of the request has the same position.
  bool is_in_text = false;
  /// Address of the client, and the revision in its header, for a sampled request; may be empty.
  std::string client = {};
  std::string version = {};

  friend bool operator==(const request_trace&, const request_trace&) = default;
};

} // namespace troupe::protocol
