#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::bench {

/// The address of requests.
struct target {
  std::uint16_t port = 0;
  std::string path = "/mcp";
  /// The bearer token of every request; none when empty.
  std::string bearer = {};
};

/// The content of calls, and what their answers must contain.
struct call_shape {
  std::string tool = "echo";
  /// Extra bytes of the result.
  std::size_t size = 0;
  /// Extra bytes of the argument.
  std::size_t send = 0;
  /// Asks for progress, so the answer is a stream.
  bool progress = false;
  /// The answer is canned, and only its id is checked.
  bool canned = false;
  /// Stateless calls (2026-07-28).
  bool stateless = false;
  /// The value of `Troupe-Affinity`, which gives its callers a lease of their own; no field when empty.
  std::string affinity = {};
};

std::string post(const target& to, std::string_view session, std::string_view body);
std::string get(const target& to, std::string_view session);
std::string remove(const target& to, std::string_view session);

std::string initialize_body(std::string_view version = "2025-06-18");
inline constexpr std::string_view initialized_body = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

/// A unique id. All ids have the same length.
std::uint64_t next_id();

/// The bytes of a call, in which only the id changes. The message repeats the id, so that a wrong answer is detected.
class call_request {
public:
  call_request(const target& to, std::string_view session, const call_shape& shape);

  /// The bytes of the next call.
  std::string_view next();
  /// The bytes of the retry with the client's answer: the last call under a new id, with these additional members of
  /// `params`.
  std::string retry(std::string_view members);
  /// Whether this is the answer to the last call or its retry, as JSON or as an event stream.
  bool is_answer(std::string_view body) const;

private:
  void write_id(std::uint64_t id);

  std::string head_; // the request up to its length
  std::string bytes_;
  std::string expected_id_;
  std::string expected_text_;
  std::array<std::size_t, 3> id_at_{};
  std::size_t least_size_;
  bool canned_;
};

} // namespace troupe::bench
