#pragma once

#include "protocol/message/call_outcome.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Most messages in a JSON-RPC batch.
inline constexpr std::size_t max_batch = 100;

/// Longest id or progress token that is accepted, in bytes: each is kept while its call is in flight.
inline constexpr std::size_t longest_id = 1024;

struct principal;
struct request_trace;

enum class message_kind { request, notification, response };

/// A JSON-RPC message: its text, which is relayed, and the parts of it by which it is routed.
///
/// Ids, tokens and references are JSON tokens (`7`, `7.0`, `"7"`), so that an integer and a string stay different and
/// are echoed as they came. Two are compared by `same_id`.
struct message {
  message_kind kind = message_kind::notification;
  /// The whole message on one line.
  std::string text;
  /// A request's or response's id; empty for a notification and for an error without id.
  std::string id = {};
  /// Empty for a response.
  std::string method = {};
  /// What the message refers to: a request's progress token, the token of `notifications/progress`, the request id
  /// of `notifications/cancelled`. Empty when there is none.
  std::string reference = {};
  /// It is of 2026-07-28: a request has its `_meta`, `initialize` is for a client of it, an answer has its words.
  bool claims_modern = false;
  /// An error of the gateway's own, which has no descriptors, memory or processes left: a later try may succeed.
  bool is_shortage = false;
  /// A request that was sent before, to a session which the server had forgotten.
  bool is_second_try = false;
  /// What a response says of its request.
  call_outcome outcome = {};
  /// Where the params of a request begin, behind their brace, when they have no `_meta`; 0 when they have, and when
  /// that is not known, as of a text of more than 2 GiB.
  std::uint32_t params_at = 0;
  slice id_at = {};
  slice reference_at = {};
  /// The `name` among a request's params, whatever it is; of no size when its place is not known, see `name_token`.
  slice name_at = {};
  /// Whose request it is, where that decides what it may name, what its answer shows, or which token its server is
  /// shown; null for all others.
  std::shared_ptr<const principal> asker = {};
  /// The trace that a request belongs to; null when requests are not traced.
  std::shared_ptr<const request_trace> trace = {};

  bool is_method(std::string_view name) const { return name == method; }

  friend bool operator==(const message& a, const message& b) { return a.text == b.text; }
};

inline bool is_request(const message& one) { return one.kind == message_kind::request; }

/// The body of a POST: a single message, or a batch of revision 2025-03-26.
struct post_body {
  std::vector<message> messages;
  bool batch = false;
  friend bool operator==(const post_body&, const post_body&) = default;
};

/// Reads one message, such as a line that a server wrote. The rejection says what is wrong with it.
std::variant<message, rejection> read_message(std::string text);

/// Whether a text is a batch, if it is anything.
inline bool is_batch(std::string_view text) { return trimmed(text).starts_with('['); }

/// Reads the body of a POST.
std::variant<post_body, rejection> read_body(std::string text);

/// The same of one that a client sent, in which no member of a message may have the name of one of JSON-RPC in another
/// spelling: a server that takes `Method` for `method` would find another request than the rules did.
std::variant<post_body, rejection> read_client_body(std::string text);

/// Reads what a server wrote, and gives each message of it: for 2025-03-26 it may be a batch. Says what is wrong with
/// it when it is no message; nothing is given then.
template <class Take>
std::optional<std::string> read_each(std::string text, Take take) {
  if (!is_batch(text)) {
    auto read = read_message(std::move(text));
    if (auto bad = std::get_if<rejection>(&read))
      return std::move(bad->text);
    take(std::move(std::get<message>(read)));
    return std::nullopt;
  }
  auto read = read_body(std::move(text));
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(bad->text);
  for (auto& one : std::get<post_body>(read).messages)
    take(std::move(one));
  return std::nullopt;
}

/// Replaces the message's id and its reference, where it has them, by other tokens. An empty token replaces nothing.
void replace_ids(message& one, std::string_view id, std::string_view reference);

/// Something was put into the text, or taken from it, by which what stood at `from` and behind it has moved.
void move_parts(message& one, std::size_t from, std::ptrdiff_t by);

/// Whether the places of the id and the reference are within the text, and apart. They are in each message that was
/// read here; one that another node says it has read may say anything.
bool has_ids_in_place(const message& one);

/// A copy of the message with other ids.
message relayed(message from, std::string_view id, std::string_view reference);

/// An id that the gateway made, in an answer: an integer, however it is written. Some peers give it back as a string,
/// which counts too.
std::optional<std::uint64_t> own_id(std::string_view token);

/// Whether an answer's id names a request that the gateway sent under that id.
bool names_request(std::string_view answer_id, std::string_view request_id);

// -- messages of the gateway's own ---------------------------------------------------------

/// A message of the gateway's own, whose text must be valid.
message own_message(std::string text);
/// An error; an empty `id` is written as null, which every revision's clients read.
std::string error_text(std::string_view id, int code, std::string_view text);
/// A result without content, such as the answer to `ping`.
std::string empty_result(std::string_view id);
/// `notifications/cancelled` for a request that the gateway sent.
std::string cancelled_text(std::string_view request_id, std::string_view reason);

/// Whether the message is an `initialize` request.
inline bool is_initialize(const message& one) { return is_request(one) && one.is_method("initialize"); }

/// A string among the `params` of a message; empty when there is none of that name.
inline std::string string_param(const message& of, std::string_view name) {
  return string_member(of.text, {"params", name});
}

/// The `name` among the `params` of a request, as it stands there; nothing when there is none.
inline std::optional<std::string_view> name_token(const message& request) {
  const auto& [at, size] = request.name_at;
  if (size != 0 && at + size <= request.text.size())
    return std::string_view{request.text}.substr(at, size);
  return find_member(request.text, {"params", "name"});
}

/// Its characters; empty when there is no such string.
inline std::string name_param(const message& request) {
  auto token = name_token(request);
  return token ? string_value(*token).value_or("") : "";
}

/// How a request ended that is answered by this error, or by this result.
call_outcome outcome_of_error(std::string_view error);
call_outcome outcome_of_result(std::string_view result);

/// The `code` of an error object, or of the error that a response is, however the number is written; 0 when there is
/// none.
int code_of_error(std::string_view error);
int error_code_of(const message& response);

/// Whether a response says that its request has succeeded.
inline bool has_result(const message& response) { return member_start(response.text, {"result"}).has_value(); }

/// An error with `data`, a JSON text that says more about it (JSON-RPC 2.0, section 5.1).
inline std::string error_text(std::string_view id, int code, std::string_view text, std::string_view data) {
  constexpr std::size_t ends = 2; // of the error and of the message
  auto result = error_text(id, code, text);
  return result.insert(result.size() - ends, R"(,"data":)" + std::string{data});
}

} // namespace troupe::protocol
