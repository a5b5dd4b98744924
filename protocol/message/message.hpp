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

/// Maximum number of messages in a JSON-RPC batch.
inline constexpr std::size_t max_batch = 100;

/// Longest accepted id or progress token, in bytes: each is stored while its call is in flight.
inline constexpr std::size_t longest_id = 1024;

struct principal;
struct request_trace;

enum class message_kind { request, notification, response };

/// JSON-RPC message: the text, which is relayed, and the parts by which it is routed.
///
/// Ids, tokens and references are JSON tokens (`7`, `7.0`, `"7"`), so that an integer and a string stay different and
/// are echoed unchanged. `same_id` compares two of them.
struct message {
  message_kind kind = message_kind::notification;
  /// The whole message on one line.
  std::string text;
  /// Id of a request or response; empty for a notification and for an error without id.
  std::string id = {};
  /// Method; empty for a response.
  std::string method = {};
  /// Reference of the message: a request's progress token, the token of `notifications/progress`, the request id of
  /// `notifications/cancelled`. Empty if there is none.
  std::string reference = {};
  /// Whether the message uses 2026-07-28: a request has its `_meta`, `initialize` is made for a client that reads the
  /// members of that revision, an answer has these members.
  bool claims_modern = false;
  /// Error made by a gateway that lacks descriptors, memory or processes: a later try may succeed.
  bool is_shortage = false;
  /// Whether a request was sent before, to a session that the server had forgotten. There is no third attempt.
  bool is_second_try = false;
  /// Outcome of the request that a response answers.
  call_outcome outcome = {};
  /// Offset of the params of a request, after their brace, if they have no `_meta`. 0 if they have one, or if the
  /// offset is unknown, as in a text of more than 2 GiB.
  std::uint32_t params_at = 0;
  slice id_at = {};
  slice reference_at = {};
  /// Place of `name` in a request's params, a value of any type; of size 0 if the place is unknown, see `name_token`.
  slice name_at = {};
  /// Caller of a request, if that decides what the request may name, what its answer shows, or which token its server
  /// receives; null for all other requests.
  std::shared_ptr<const principal> requester = {};
  /// Trace of a request; null if requests are not traced.
  std::shared_ptr<const request_trace> trace = {};

  bool is_method(std::string_view name) const { return name == method; }

  friend bool operator==(const message& a, const message& b) { return a.text == b.text; }
};

/// Size of the message's text in bytes.
inline std::size_t text_size(const message& one) { return one.text.size(); }
inline bool is_request(const message& one) { return one.kind == message_kind::request; }
inline bool is_notification(const message& one) { return one.kind == message_kind::notification; }
/// Whether the message cancels the request that its `reference` names.
inline bool is_cancellation(const message& one) {
  return is_notification(one) && one.is_method("notifications/cancelled");
}
/// Whether the message reports progress of the request whose token is its `reference`.
inline bool is_progress(const message& one) { return is_notification(one) && one.is_method("notifications/progress"); }

/// Body of a POST: a single message, or a batch of revision 2025-03-26.
struct post_body {
  std::vector<message> messages;
  bool batch = false;
  friend bool operator==(const post_body&, const post_body&) = default;
};

/// Parses one message, such as a line that a server wrote. The rejection describes the error.
std::variant<message, rejection> read_message(std::string text);

/// Whether a text, if it is valid, is a batch.
inline bool is_batch(std::string_view text) { return trimmed(text).starts_with('['); }

/// Parses the body of a POST.
std::variant<post_body, rejection> read_body(std::string text);

/// Parses a client's body. Refuses members that are other spellings of JSON-RPC members: a server that takes `Method`
/// for `method` would find another request than the gateway's rules did.
std::variant<post_body, rejection> read_client_body(std::string text);

/// Parses text from a server and passes each message to `visit`; in 2025-03-26 the text may be a batch. If the text is
/// invalid, returns the error and passes no message.
template <class Visit>
std::optional<std::string> read_each(std::string text, Visit visit) {
  if (!is_batch(text)) {
    auto read = read_message(std::move(text));
    if (auto bad = std::get_if<rejection>(&read))
      return std::move(bad->text);
    visit(std::move(std::get<message>(read)));
    return std::nullopt;
  }
  auto read = read_body(std::move(text));
  if (auto bad = std::get_if<rejection>(&read))
    return std::move(bad->text);
  for (auto& one : std::get<post_body>(read).messages)
    visit(std::move(one));
  return std::nullopt;
}

/// Replaces the message's id and its reference, if present, by other tokens. An empty token replaces nothing.
void replace_ids(message& one, std::string_view id, std::string_view reference);

/// Adjusts the places of the parts at or after `from`, after an insertion or removal moved that text by `by` bytes.
void move_parts(message& one, std::size_t from, std::ptrdiff_t by);

/// Whether the places of the id and the reference are within the text, and do not overlap. Always true for messages
/// parsed here; a message that another node parsed may contain any places.
bool has_ids_in_place(const message& one);

/// Returns a copy of the message with other ids.
message relayed(message from, std::string_view id, std::string_view reference);

/// Parses an id made by the gateway, as an answer has it: an integer in any notation, or a string, as some peers return
/// it.
std::optional<std::uint64_t> own_id(std::string_view token);

/// Whether an answer's id names a request that the gateway sent under that id.
bool names_request(std::string_view answer_id, std::string_view request_id);

// -- messages of the gateway's own ---------------------------------------------------------

/// Makes a message of the gateway's own; `text` must be valid.
message gateway_message(std::string text);
/// Builds an error response; an empty `id` is written as null, which clients of every revision read.
std::string error_text(std::string_view id, int code, std::string_view text);
/// Builds a result without content, such as the answer to `ping`.
std::string empty_result(std::string_view id);
/// Builds `notifications/cancelled` for a request that the gateway sent.
message cancellation_of(std::string_view request_id, std::string_view reason);
message cancellation_of(std::uint64_t request_id, std::string_view reason);
/// Builds `notifications/progress` for a request of the receiver.
message progress_of(std::string_view token, std::uint64_t progress);

/// Whether the message is an `initialize` request.
inline bool is_initialize(const message& one) { return is_request(one) && one.is_method("initialize"); }

/// Returns a string among the `params` of a message; empty if there is none of that name.
inline std::string string_param(const message& of, std::string_view name) {
  return string_member(of.text, {"params", name});
}

/// Returns the `name` among the `params` of a request as a JSON token; nullopt if there is none.
inline std::optional<std::string_view> name_token(const message& request) {
  const auto& [at, size] = request.name_at;
  if (size != 0 && at + size <= request.text.size())
    return std::string_view{request.text}.substr(at, size);
  return find_member(request.text, {"params", "name"});
}

/// Returns the characters of `params.name`; empty if it is no string.
inline std::string name_param(const message& request) {
  auto token = name_token(request);
  return token ? string_value(*token).value_or("") : "";
}

/// Returns the outcome of a request that is answered with this error, or with this result.
call_outcome outcome_of_error(std::string_view error);
call_outcome outcome_of_result(std::string_view result);

/// Returns the `code` of an error object, or of the error in a response, in any notation; 0 if there is none.
int code_of_error(std::string_view error);
int error_code_of(const message& response);

/// Whether a response reports the success of its request.
inline bool has_result(const message& response) { return member_start(response.text, {"result"}).has_value(); }

/// Builds an error response with `data`, a JSON text with details (JSON-RPC 2.0, section 5.1).
inline std::string error_text(std::string_view id, int code, std::string_view text, std::string_view data) {
  constexpr std::size_t ends = 2; // of the error and of the message
  auto result = error_text(id, code, text);
  return result.insert(result.size() - ends, R"(,"data":)" + std::string{data});
}

} // namespace troupe::protocol
