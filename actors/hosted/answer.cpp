#include "actors/troupe/answer.hpp"

#include "protocol/text/base_encodings.hpp"

#include <iterator>
#include <utility>

namespace troupe {

namespace {

answer of(json::object block) { return {.content = json::array{std::move(block)}}; }

answer media(std::string_view type, std::string_view bytes, std::string_view mime_type) {
  return of({{"type", type}, {"data", protocol::base64(bytes)}, {"mimeType", mime_type}});
}

} // namespace

answer text(std::string_view text) { return of({{"type", "text"}, {"text", text}}); }

answer image(std::string_view bytes, std::string_view mime_type) { return media("image", bytes, mime_type); }

answer audio(std::string_view bytes, std::string_view mime_type) { return media("audio", bytes, mime_type); }

answer blob(std::string_view bytes) { return of({{"blob", protocol::base64(bytes)}}); }

answer embedded(std::string_view uri, std::string_view mime_type, std::string_view text) {
  return of({{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}});
}

answer link(std::string_view uri, std::string_view name) {
  return of({{"type", "resource_link"}, {"uri", uri}, {"name", name}});
}

answer structured(json::object content) {
  auto result = text(json::serialize(content));
  result.structured_content = std::move(content);
  return result;
}

answer failure(std::string_view why) {
  auto result = text(why);
  result.is_error = true;
  return result;
}

answer as_assistant(answer content) {
  for (auto& block : content.content)
    block.as_object()["role"] = "assistant";
  return content;
}

answer operator+(answer first, answer second) {
  first.content.insert(first.content.end(), std::make_move_iterator(second.content.begin()),
                       std::make_move_iterator(second.content.end()));
  if (!first.structured_content)
    first.structured_content = std::move(second.structured_content);
  first.is_error = first.is_error || second.is_error;
  return first;
}

} // namespace troupe
