#include "protocol/catalog/result_uris.hpp"

#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

using token = std::optional<std::string_view>;

/// Of nothing, unless it is an object. A member may stand there twice: clients take the last one.
template <class Function>
void for_each_member(std::string_view object, Function function) {
  if (object.front() != '{')
    return;
  for (object_reader members{object}; members.next();)
    function(members.key(), members.value());
}

/// Collects edits of one text.
struct uri_edits {
  std::string_view text;
  const uri_map& map;
  std::vector<edit> result = {};

  void map_token(token uri) {
    if (auto characters = uri ? string_value(*uri) : std::nullopt)
      result.push_back(replacing(text, *uri, quoted(map(*characters))));
  }

  /// Metadata of a tool or its result. It names the UI as MCP Apps do (2026-01-26, "Resource Discovery"), as they did
  /// before that, or as OpenAI's Apps SDK does.
  void map_meta(std::string_view meta) {
    for_each_member(meta, [&](std::string_view key, std::string_view value) {
      if (key == "ui")
        for_each_member(value, [&](std::string_view part, std::string_view uri) {
          if (part == "resourceUri")
            map_token(uri);
        });
      else if (key == "ui/resourceUri" || key == "openai/outputTemplate")
        map_token(value);
    });
  }

  /// A part of what a tool or a prompt says (2025-11-25, tools, "Resource Links", "Embedded Resources").
  void map_content(std::string_view content) {
    auto type = find_member(content, {"type"});
    if (type == "\"resource_link\"")
      map_token(find_member(content, {"uri"}));
    else if (type == "\"resource\"")
      map_token(find_member(content, {"resource", "uri"}));
  }
};

template <class Function>
void for_each_element(token array, Function function) {
  if (!array || array->front() != '[')
    return;
  for (array_reader elements{*array}; elements.next();)
    function(elements.value());
}

/// Content that is one part, or several.
void map_contents(token content, uri_edits& edits) {
  if (content && content->front() == '{')
    edits.map_content(*content);
  for_each_element(content, [&](std::string_view part) { edits.map_content(part); });
}

/// Most results of tools and prompts have none of the words that go with a URI, unless they are written with escapes.
bool may_have_uris(std::string_view response) {
  auto has = [&](std::string_view word) { return response.find(word) != response.npos; };
  return has("resource") || has("outputTemplate") || has("\\u");
}

/// A result may be long: each byte is looked at no more often than it must.
void map_tool_result(uri_edits& edits) {
  object_reader response{edits.text};
  if (!response.find("result"))
    return;
  for_each_member(response.rest(), [&](std::string_view key, std::string_view value) {
    if (key == "content")
      map_contents(value, edits);
    else if (key == "_meta")
      edits.map_meta(value);
  });
}

} // namespace

std::vector<edit> result_uris(std::string_view response, result_shape shape, const uri_map& map) {
  uri_edits edits{response, map};
  if (shape != result_shape::read && !may_have_uris(response))
    return {};
  if (shape == result_shape::tool)
    map_tool_result(edits);
  else if (shape == result_shape::prompt)
    for_each_element(find_member(response, {"result", "messages"}),
                     [&](std::string_view one) { map_contents(find_member(one, {"content"}), edits); });
  else if (shape == result_shape::read)
    for_each_element(find_member(response, {"result", "contents"}),
                     [&](std::string_view one) { edits.map_token(find_member(one, {"uri"})); });
  return std::move(edits.result);
}

std::vector<edit> tool_uris(std::string_view tool, const uri_map& map) {
  uri_edits edits{tool, map};
  for_each_member(tool, [&](std::string_view key, std::string_view value) {
    if (key == "_meta")
      edits.map_meta(value);
  });
  return std::move(edits.result);
}

} // namespace troupe::protocol
