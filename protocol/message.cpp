#include "protocol/message.hpp"

#include "protocol/number.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::protocol {

namespace {

/// The parts of the envelope as they stand in the text; null pointers where there are none.
struct envelope {
  std::string_view version, id, method, params, result, error;
};

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

/// A token in the one spelling that equal tokens share; nothing unless it is an integer or a string that is not too
/// long.
std::optional<std::string> canonical(std::string_view token) {
  if (token.size() > longest_id)
    return std::nullopt;
  if (is_integer(token))
    return std::string{token == "-0" ? "0" : token};
  auto characters = string_value(token);
  if (!characters)
    return std::nullopt;
  return token.find('\\') == token.npos ? std::string{token} : quoted(*characters);
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

/// Peers disagree on whether the first or the last of two equal keys counts, so neither does.
std::optional<rejection> read_envelope(std::string_view object, envelope& parts) {
  for (object_reader members{object}; members.next();) {
    auto part = part_of(parts, members.key());
    if (part && part->data())
      return invalid("duplicate key " + quoted(members.key()));
    if (part)
      *part = members.value();
  }
  return std::nullopt;
}

/// The one member of that name, when there is one; false when there are several.
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

/// A progress token that is neither string nor integer is nobody's: it stays in the text and refers to nothing.
void refer(message& to, std::string_view token) {
  if (!token.data())
    return;
  if (auto key = canonical(token)) {
    to.reference = std::move(*key);
    to.reference_at = within(to.text, token);
  }
}

bool read_meta(message& to, std::string_view params) {
  std::string_view meta, token, version;
  if (!find_once(params, "_meta", meta))
    return false;
  if (meta.empty() || meta.front() != '{')
    return true;
  if (!find_once(meta, "progressToken", token) || !find_once(meta, "io.modelcontextprotocol/protocolVersion", version))
    return false;
  refer(to, token);
  to.claims_modern = version.data() != nullptr;
  return true;
}

/// The member of a notification's params that says what it refers to; null when it refers to nothing.
const char* reference_name(std::string_view method) {
  return method == "notifications/progress"    ? "progressToken"
         : method == "notifications/cancelled" ? "requestId"
                                               : nullptr;
}

std::optional<rejection> read_params(message& to, std::string_view params) {
  if (!params.data())
    return std::nullopt;
  if (params.front() != '{')
    return invalid("params must be an object", to.id);
  if (to.kind == message_kind::request)
    return read_meta(to, params) ? std::nullopt : std::optional{invalid("duplicate key in params._meta", to.id)};
  auto name = reference_name(to.method);
  std::string_view token;
  if (name && !find_once(params, name, token))
    return invalid("duplicate key in params");
  refer(to, token);
  return std::nullopt;
}

std::optional<rejection> read_id(message& to, std::string_view id) {
  auto key = canonical(id);
  if (!key)
    return invalid("id must be an integer of at most 64 bits or a string of at most " + std::to_string(longest_id) +
                   " bytes");
  to.id = std::move(*key);
  to.id_at = within(to.text, id);
  return std::nullopt;
}

std::optional<rejection> read_call(message& to, const envelope& parts) {
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
  return read_params(to, parts.params);
}

std::optional<rejection> read_response(message& to, const envelope& parts) {
  to.kind = message_kind::response;
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

/// Reads a text that is valid JSON.
std::variant<message, rejection> read_valid(std::string text) {
  message result{.text = std::move(text)};
  if (trimmed(result.text).front() != '{')
    return invalid("a message is an object");
  envelope parts;
  if (auto bad = read_envelope(result.text, parts))
    return std::move(*bad);
  if (parts.version != "\"2.0\"")
    return invalid("jsonrpc must be \"2.0\"", canonical(parts.id).value_or(""));
  if (auto bad = parts.method.data() ? read_call(result, parts) : read_response(result, parts))
    return std::move(*bad);
  return result;
}

rejection parse_error(const std::string& why) { return {400, error_code::parse_error, "Parse error: " + why}; }

/// Line breaks in valid JSON are white space between tokens; a line of text has none.
void flatten(std::string& text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::variant<post_body, rejection> read_batch(std::string_view array) {
  post_body result{.messages = {}, .batch = true};
  for (array_reader elements{array}; elements.next();) {
    if (result.messages.size() == max_batch)
      return invalid("a batch has at most " + std::to_string(max_batch) + " messages");
    auto element = read_valid(std::string{elements.value()});
    if (auto bad = std::get_if<rejection>(&element))
      return std::move(*bad);
    result.messages.push_back(std::move(std::get<message>(element)));
  }
  if (result.messages.empty())
    return invalid("an empty batch");
  return result;
}

} // namespace

std::variant<message, rejection> read_message(std::string text) {
  if (auto why = json_error(text))
    return parse_error(*why);
  flatten(text);
  return read_valid(std::move(text));
}

std::variant<post_body, rejection> read_body(std::string text) {
  if (auto why = json_error(text))
    return parse_error(*why);
  flatten(text);
  if (auto array = trimmed(text); array.front() == '[')
    return read_batch(array);
  auto single = read_valid(std::move(text));
  if (auto bad = std::get_if<rejection>(&single))
    return std::move(*bad);
  post_body result;
  result.messages.push_back(std::move(std::get<message>(single)));
  return result;
}

message relayed(message from, std::string_view id, std::string_view reference) {
  auto replace = [&](slice& at, std::string& known, std::string_view token, slice& other) {
    if (at.size == 0 || token.empty())
      return;
    from.text.replace(at.at, at.size, token);
    if (other.at > at.at)
      other.at += token.size() - at.size;
    at.size = token.size();
    known = token;
  };
  replace(from.id_at, from.id, id, from.reference_at);
  replace(from.reference_at, from.reference, reference, from.id_at);
  return from;
}

std::optional<std::uint64_t> own_id(std::string_view token) {
  if (token.size() > 2 && token.front() == '"')
    token = token.substr(1, token.size() - 2);
  return read_number(token);
}

// -- messages of our own ---------------------------------------------------------

message made(std::string text) { return std::get<message>(read_message(std::move(text))); }

std::string error_text(std::string_view id, int code, std::string_view text) {
  std::string result = R"({"jsonrpc":"2.0","id":)";
  result += id.empty() ? "null" : id;
  result += R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":)" + quoted(text) + "}}";
  return result;
}

std::string empty_result(std::string_view id) {
  return R"({"jsonrpc":"2.0","id":)" + std::string{id} + R"(,"result":{}})";
}

std::string cancelled_text(std::string_view request_id, std::string_view reason) {
  return R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + std::string{request_id} +
         R"(,"reason":)" + quoted(reason) + "}}";
}

} // namespace troupe::protocol
