#pragma once

#include <boost/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe {

namespace json = boost::json;

/// Answer of a handler: content that becomes a tool's result, a resource's contents or a prompt's messages.
struct answer {
  /// Content blocks as in MCP, such as `{"type": "text", "text": "…"}`.
  json::array content;
  /// Result of a tool as an object, for programs; see `structured`.
  std::optional<json::object> structured_content = {};
  /// The tool failed, and the model is to know; see `failure`. For a resource or a prompt: an error of the server.
  bool is_error = false;
};

answer text(std::string_view text);
/// Media, from raw bytes (not base64).
answer image(std::string_view bytes, std::string_view mime_type);
answer audio(std::string_view bytes, std::string_view mime_type);
/// Binary data of any type, from raw bytes; for resources.
answer blob(std::string_view bytes);
/// A resource inside an answer, and a link to a resource.
answer embedded(std::string_view uri, std::string_view mime_type, std::string_view text);
answer link(std::string_view uri, std::string_view name);
/// Result of a tool with an output schema; repeated as text, for clients that read only text.
answer structured(json::object content);
/// Failure of a tool, shown to the model.
answer failure(std::string_view text);
/// Gives the content the role `assistant`, in a prompt.
answer as_assistant(answer content);
/// Appends the content of the second answer to that of the first.
answer operator+(answer first, answer second);

/// Thrown by a handler to answer with a JSON-RPC error instead of a failure of the tool.
class refusal : public std::runtime_error {
public:
  /// `code` is a code of JSON-RPC or MCP, such as -32602 for wrong arguments.
  refusal(int code, const std::string& text) : std::runtime_error{text}, code_{code} {}
  int code() const { return code_; }

private:
  int code_;
};

} // namespace troupe
