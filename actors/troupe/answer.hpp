#pragma once

#include <boost/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace troupe {

namespace json = boost::json;

/// What a handler answers with: content, which becomes a tool's result, a resource's contents or a prompt's messages.
struct answer {
  /// Blocks as the protocol has them, such as `{"type": "text", "text": "…"}`.
  json::array content;
  /// A tool's result for programs; see `structured`.
  std::optional<json::object> structured_content = {};
  /// The tool failed, which its caller is to know; see `failure`. Of a resource or a prompt, an error of the server.
  bool is_error = false;
};

answer text(std::string_view text);
/// Media are given as their bytes.
answer image(std::string_view bytes, std::string_view mime_type);
answer audio(std::string_view bytes, std::string_view mime_type);
/// Bytes of any kind, for resources.
answer blob(std::string_view bytes);
/// A resource within an answer, and a link to one.
answer embedded(std::string_view uri, std::string_view mime_type, std::string_view text);
answer link(std::string_view uri, std::string_view name);
/// What a tool with an output schema answers; also said as text, for clients that know no other.
answer structured(json::object content);
/// A tool's failure, told to the model.
answer failure(std::string_view text);
/// The same content as words of the model, in a prompt.
answer as_assistant(answer content);
/// One answer's content after the other's.
answer operator+(answer first, answer second);

/// Thrown by a handler to answer with an error of the protocol instead of a failure of its tool.
class refusal : public std::runtime_error {
public:
  /// `code` is one of JSON-RPC's or MCP's, such as -32602 for arguments that are wrong.
  refusal(int code, const std::string& text) : std::runtime_error{text}, code_{code} {}
  int code() const { return code_; }

private:
  int code_;
};

} // namespace troupe
