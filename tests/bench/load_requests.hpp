#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::bench {

/// Where requests go.
struct target {
  std::uint16_t port = 0;
  std::string path = "/mcp";
  /// A key or a token, which every request bears; none when empty.
  std::string bearer = {};
};

/// What calls ask for, and what their answers must be like.
struct call_shape {
  std::string tool = "echo";
  /// Bytes that the result is made longer by.
  std::size_t size = 0;
  /// Bytes that the argument is made longer by.
  std::size_t send = 0;
  /// Ask for progress: the answer is a stream then.
  bool progress = false;
  /// The answer is a canned one, of which only the id is checked.
  bool canned = false;
  /// Calls of 2026-07-28, which no session has.
  bool stateless = false;
  /// What `Troupe-Affinity` says, which gives its callers a lease of their own; no field when empty.
  std::string affinity = {};
};

std::string post(const target& to, std::string_view session, std::string_view body);
std::string get(const target& to, std::string_view session);
std::string remove(const target& to, std::string_view session);

std::string initialize_body(std::string_view version = "2025-06-18");
inline constexpr std::string_view initialized_body = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

/// An id that no other request of this program has; all are of the same length.
std::uint64_t next_id();

/// The bytes of a call, in which only the id is written anew. The id is in the message as well: an answer that is not
/// to this call is noticed.
class call_request {
public:
  call_request(const target& to, std::string_view session, const call_shape& shape);

  /// The bytes for another call.
  std::string_view next();
  /// The bytes of the retry by which the client, who has been asked something, goes on with the last call: the same
  /// call under another id, with these members of `params` besides.
  std::string retry(std::string_view members);
  /// Whether this is the answer to the last call, or to its retry; the text of JSON, or that of an event stream.
  bool is_answer(std::string_view body) const;

private:
  void write_id(std::uint64_t id);

  std::string head_; // of the request, up to its length
  std::string bytes_;
  std::string expected_id_;
  std::string expected_text_;
  std::array<std::size_t, 3> id_at_{};
  std::size_t least_size_;
  bool canned_;
};

} // namespace troupe::bench
