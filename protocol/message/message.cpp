#include "protocol/message/message.hpp"

#include "protocol/message/methods.hpp"
#include "protocol/message/request_envelope.hpp"
#include "protocol/message/same_id.hpp"
#include "protocol/text/checked_json.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe::protocol {

namespace {

/// Parts of a message as they stand in the text; null pointers for absent ones.
struct envelope {
  std::string_view version, id, method, params, result, error;
  /// Members of the params, of their `_meta`, of the result and of the error. `is_searched`: all were looked for.
  std::string_view progress_token, request_id, meta, meta_token, modern_version, name;
  bool is_searched = false;
  std::string_view is_error, error_code;
  /// Whether there are members other than these parts.
  bool has_others = false;
};

/// Author of a message.
enum class writer { anybody, client };

rejection invalid(std::string text, std::string_view id = {}) {
  return {400, error_code::invalid_request, "Invalid Request: " + std::move(text), std::string{id}};
}

bool is_integer(std::string_view token) {
  auto fits = [&](auto number) {
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    return error == std::errc{} && end == token.data() + token.size();
  };
  return fits(std::int64_t{}) || fits(std::uint64_t{});
}

/// Returns a token as it is stored: numbers unchanged, so that they are echoed unchanged; strings in one canonical
/// spelling. Nullopt if the token is too long, or neither an integer nor a string of whole characters: two strings with
/// halves of characters could become equal.
std::optional<std::string> kept_token(std::string_view token) {
  if (token.size() > longest_id)
    return std::nullopt;
  if (is_integer(token) || whole_number(token))
    return std::string{token};
  if (!token.starts_with('"'))
    return std::nullopt;
  if (token.find('\\') == token.npos)
    return std::string{token};
  return has_half_character(token) ? std::nullopt : std::optional{quoted(*string_value(token))};
}

std::string_view* part_of(envelope& parts, std::string_view key) {
  if (key == "jsonrpc")
    return &parts.version;
  if (key == "id")
    return &parts.id;
  if (key == "method")
    return &parts.method;
  if (key == "params")
    return &parts.params;
  if (key == "result")
    return &parts.result;
  if (key == "error")
    return &parts.error;
  return nullptr;
}

/// Finds the parts. Refuses duplicate keys, because peers disagree on whether the first or the last counts.
std::optional<rejection> find_parts(std::string_view object, envelope& parts) {
  for (object_reader members{object}; members.next();) {
    auto part = part_of(parts, members.key());
    if (part && part->data())
      return invalid("duplicate key " + quoted(members.key()));
    if (part)
      *part = members.value();
    else
      parts.has_others = true;
  }
  return std::nullopt;
}

/// Reads the envelope and validates the whole text in one pass. False if that is not possible: the text is then
/// validated and read in separate passes, which find the error.
bool read_at_once(std::string_view text, envelope& parts) {
  wanted_member meta[] = {{"progressToken"}, {meta_key::version}};
  wanted_member params[] = {{"name"}, {"progressToken"}, {"requestId"}, {"_meta", meta}};
  wanted_member result[] = {{"isError"}};
  wanted_member error[] = {{"code"}};
  wanted_member all[] = {{"jsonrpc"}, {"id"}, {"method"}, {"params", params}, {"result", result}, {"error", error}};
  auto has_others = false;
  if (!find_checked(text, all, &has_others))
    return false;
  parts = {
      all[0].value,    all[1].value,    all[2].value,  all[3].value,  all[4].value,    all[5].value, params[1].value,
      params[2].value, params[3].value, meta[0].value, meta[1].value, params[0].value, true,         result[0].value,
      error[0].value,  has_others};
  return true;
}

/// Finds the only member of that name, if there is one; false if there are several.
bool find_once(std::string_view object, std::string_view name, std::string_view& value) {
  for (object_reader members{object}; members.next();) {
    if (members.key() != name)
      continue;
    if (value.data())
      return false;
    value = members.value();
  }
  return true;
}

slice within(std::string_view text, std::string_view part) {
  return {static_cast<std::size_t>(part.data() - text.data()), part.size()};
}

/// Sets the reference. A progress token that is neither a string nor an integer stays in the text and is ignored.
void refer(message& to, std::string_view token) {
  if (!token.data())
    return;
  if (auto key = kept_token(token)) {
    to.reference = std::move(*key);
    to.reference_at = within(to.text, token);
  }
}

bool find_in_meta(envelope& parts) {
  std::string_view meta;
  if (!find_once(parts.params, "_meta", meta))
    return false;
  return !meta.starts_with('{') || (find_once(meta, "progressToken", parts.meta_token) &&
                                    find_once(meta, meta_key::version, parts.modern_version));
}

/// Finds the reference in the params, unless it was found already; false if there are several.
bool find_references(const message& of, envelope& parts) {
  if (parts.is_searched)
    return true;
  if (is_request(of))
    return find_in_meta(parts);
  return (!is_progress(of) || find_once(parts.params, "progressToken", parts.progress_token)) &&
         (!is_cancellation(of) || find_once(parts.params, "requestId", parts.request_id));
}

/// Records the places of parts, so that later readers need not search for them.
void note_places(message& to, const envelope& parts) {
  if (parts.name.data())
    to.name_at = within(to.text, parts.name);
  if (parts.is_searched && !parts.meta.data() && std::in_range<std::int32_t>(to.text.size()))
    to.params_at = static_cast<std::uint32_t>(within(to.text, parts.params).at + 1);
}

std::optional<rejection> read_params(message& to, envelope& parts) {
  auto is_request = to.kind == message_kind::request;
  if (!parts.params.data())
    return std::nullopt;
  if (parts.params.front() != '{')
    return invalid("params must be an object", to.id);
  if (!find_references(to, parts))
    return is_request ? invalid("duplicate key in params._meta", to.id) : invalid("duplicate key in params");
  if (is_request)
    refer(to, parts.meta_token);
  else if (is_progress(to))
    refer(to, parts.progress_token);
  else if (is_cancellation(to))
    refer(to, parts.request_id);
  to.claims_modern = is_request && parts.modern_version.data();
  if (is_request)
    note_places(to, parts);
  return std::nullopt;
}

std::optional<rejection> read_id(message& to, std::string_view id) {
  auto key = kept_token(id);
  if (!key)
    return invalid("id must be an integer of at most 64 bits or a string of at most " + std::to_string(longest_id) +
                   " bytes, with its quotes, without half of a surrogate pair");
  to.id = std::move(*key);
  to.id_at = within(to.text, id);
  return std::nullopt;
}

std::optional<rejection> read_call(message& to, envelope& parts) {
  if (parts.result.data() || parts.error.data())
    return invalid("a message has either a method or a result");
  to.kind = parts.id.data() ? message_kind::request : message_kind::notification;
  if (parts.id.data())
    if (auto bad = read_id(to, parts.id))
      return bad;
  auto method = string_value(parts.method);
  if (!method)
    return invalid("method must be a string", to.id);
  to.method = std::move(*method);
  return read_params(to, parts);
}

/// Returns the value of a member; empty if there is none, or if there are two.
std::string_view member_once(std::string_view object, std::string_view name) {
  std::string_view value;
  return object.starts_with('{') && find_once(object, name, value) ? value : std::string_view{};
}

call_outcome outcome_with_code(std::string_view code) {
  const auto number = whole_number(code);
  return failed_with(number && std::in_range<int>(*number) ? static_cast<int>(*number) : 0);
}

call_outcome outcome_with_mark(std::string_view is_error) {
  return {is_error == "true" ? call_outcome::kind::tool_error : call_outcome::kind::success};
}

call_outcome outcome_in(const envelope& parts) {
  if (parts.error.data())
    return parts.is_searched ? outcome_with_code(parts.error_code) : outcome_of_error(parts.error);
  return parts.is_searched ? outcome_with_mark(parts.is_error) : outcome_of_result(parts.result);
}

std::optional<rejection> read_response(message& to, const envelope& parts) {
  to.kind = message_kind::response;
  to.outcome = outcome_in(parts);
  if (parts.result.data() && parts.error.data())
    return invalid("a response has either a result or an error");
  if (!parts.result.data() && !parts.error.data())
    return invalid("neither method nor result nor error");
  if (parts.error.data() && parts.error.front() != '{')
    return invalid("error must be an object");
  if (parts.error.data() && (!parts.id.data() || parts.id == "null"))
    return std::nullopt;
  return read_id(to, parts.id);
}

/// Refuses members that a server with lenient comparison of names would take for a part.
std::optional<rejection> refuse_other_spellings(std::string_view object, std::string_view id) {
  for (object_reader members{object}; members.next();)
    if (is_other_spelling(members.key(), {"jsonrpc", "id", "method", "params", "result", "error"}))
      return invalid("the member " + quoted(members.key()) +
                         " is none of JSON-RPC, though some servers take it for one",
                     kept_token(id).value_or(""));
  return std::nullopt;
}

/// Fills the message from the parts of its text. Refuses parts that do not make a message together.
std::optional<rejection> take_parts(message& to, envelope& parts, writer by) {
  if (auto bad = by == writer::client && parts.has_others ? refuse_other_spellings(to.text, parts.id) : std::nullopt)
    return bad;
  if (parts.version != "\"2.0\"")
    return invalid("jsonrpc must be \"2.0\"", kept_token(parts.id).value_or(""));
  return parts.method.data() ? read_call(to, parts) : read_response(to, parts);
}

/// Parses a message whose text is valid JSON.
std::optional<rejection> read_valid(message& to, writer by) {
  if (trimmed(to.text).front() != '{')
    return invalid("a message is an object");
  envelope parts;
  if (auto bad = find_parts(to.text, parts))
    return bad;
  return take_parts(to, parts, by);
}

/// Makes a text one line: line breaks in valid JSON are white space between tokens.
void flatten(std::string& text) {
  for (char line_break : {'\n', '\r'})
    for (auto at = text.find(line_break); at != text.npos; at = text.find(line_break, at))
      text[at] = ' ';
}

/// Validates a JSON text, and makes it one line.
std::optional<rejection> read_line(std::string& text) {
  if (auto why = json_error(text))
    return rejection{400, error_code::parse_error, "Parse error: " + *why};
  flatten(text);
  return std::nullopt;
}

/// Parses a message from any text.
std::optional<rejection> read_text(message& to, writer by) {
  envelope parts;
  if (read_at_once(to.text, parts)) {
    flatten(to.text);
    return take_parts(to, parts, by);
  }
  if (auto bad = read_line(to.text))
    return bad;
  return read_valid(to, by);
}

std::optional<rejection> read_batch(std::string text, post_body& to, writer by) {
  if (auto bad = read_line(text))
    return bad;
  to.batch = true;
  for (array_reader elements{text}; elements.next();) {
    if (to.messages.size() == max_batch)
      return invalid("a batch has at most " + std::to_string(max_batch) + " messages");
    to.messages.push_back({.text = std::string{elements.value()}});
    if (auto bad = read_valid(to.messages.back(), by))
      return bad;
  }
  return to.messages.empty() ? std::optional{invalid("an empty batch")} : std::nullopt;
}

std::optional<rejection> read_single(std::string text, post_body& to, writer by) {
  to.messages.emplace_back().text = std::move(text);
  return read_text(to.messages.back(), by);
}

std::variant<post_body, rejection> read_body_of(std::string text, writer by) {
  std::variant<post_body, rejection> result;
  auto& read = std::get<post_body>(result);
  if (auto bad = is_batch(text) ? read_batch(std::move(text), read, by) : read_single(std::move(text), read, by))
    result = std::move(*bad);
  return result;
}

} // namespace

call_outcome outcome_of_error(std::string_view error) { return outcome_with_code(member_once(error, "code")); }

int code_of_error(std::string_view error) { return outcome_with_code(find_member(error, {"code"}).value_or("")).code; }

int error_code_of(const message& response) { return code_of_error(find_member(response.text, {"error"}).value_or("")); }

call_outcome outcome_of_result(std::string_view result) { return outcome_with_mark(member_once(result, "isError")); }

std::variant<message, rejection> read_message(std::string text) {
  std::variant<message, rejection> result;
  auto& read = std::get<message>(result);
  read.text = std::move(text);
  if (auto bad = read_text(read, writer::anybody))
    result = std::move(*bad);
  return result;
}

std::variant<post_body, rejection> read_body(std::string text) {
  return read_body_of(std::move(text), writer::anybody);
}

std::variant<post_body, rejection> read_client_body(std::string text) {
  return read_body_of(std::move(text), writer::client);
}

void replace_ids(message& one, std::string_view id, std::string_view reference) {
  auto replace = [&](slice& at, std::string& known, std::string_view token) {
    if (at.size == 0 || token.empty())
      return;
    one.text.replace(at.at, at.size, token);
    move_parts(one, at.at + at.size, static_cast<std::ptrdiff_t>(token.size()) - static_cast<std::ptrdiff_t>(at.size));
    at.size = token.size();
    known = token;
  };
  replace(one.id_at, one.id, id);
  replace(one.reference_at, one.reference, reference);
}

void move_parts(message& one, std::size_t from, std::ptrdiff_t by) {
  for (auto* part : {&one.id_at, &one.reference_at, &one.name_at})
    if (part->at >= from)
      part->at += static_cast<std::size_t>(by);
  if (one.params_at != 0 && one.params_at >= from)
    one.params_at += static_cast<std::uint32_t>(by);
}

bool has_ids_in_place(const message& one) {
  auto is_inside = [&](const slice& at) { return at.at <= one.text.size() && at.size <= one.text.size() - at.at; };
  auto precedes = [](const slice& a, const slice& b) { return a.at + a.size <= b.at; };
  auto &id = one.id_at, &reference = one.reference_at;
  return is_inside(id) && is_inside(reference) &&
         (id.size == 0 || reference.size == 0 || precedes(id, reference) || precedes(reference, id));
}

message relayed(message from, std::string_view id, std::string_view reference) {
  replace_ids(from, id, reference);
  return from;
}

std::optional<std::uint64_t> own_id(std::string_view token) {
  if (token.size() > 2 && token.front() == '"')
    token = token.substr(1, token.size() - 2);
  return unsigned_number(token);
}

bool names_request(std::string_view answer_id, std::string_view request_id) {
  if (same_id(answer_id, request_id))
    return true;
  const auto own = own_id(request_id);
  return own && own_id(answer_id) == own;
}

// -- messages of our own ---------------------------------------------------------

message gateway_message(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string error_text(std::string_view id, int code, std::string_view text) {
  std::string result = R"({"jsonrpc":"2.0","id":)";
  result += id.empty() ? "null" : id;
  result += R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":)" + quoted(text) + "}}";
  return result;
}

std::string empty_result(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})";
}

message cancellation_of(std::string_view request_id, std::string_view reason) {
  return gateway_message(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                         std::string{request_id} + R"(,"reason":)" + quoted(reason) + "}}");
}

message cancellation_of(std::uint64_t request_id, std::string_view reason) {
  return cancellation_of(std::to_string(request_id), reason);
}

message progress_of(std::string_view token, std::uint64_t progress) {
  return gateway_message(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                         std::string{token} + R"(,"progress":)" + std::to_string(progress) + "}}");
}

} // namespace troupe::protocol
