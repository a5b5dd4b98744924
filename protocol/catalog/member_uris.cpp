#include "protocol/catalog/member_uris.hpp"

#include "protocol/catalog/merged_names.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

using token = std::optional<std::string_view>;

/// Visits the members of an object, if it is one. Visits duplicates too: clients take the last one.
template <class Function>
void for_each_member(std::string_view object, Function function) {
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

  /// Maps the UI's URI in the metadata of a tool or its result. The URI is named as in MCP Apps (2026-01-26, "Resource
  /// Discovery"), as before that, or as in OpenAI's Apps SDK.
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

  /// Maps a part of a tool's or prompt's content (2025-11-25, tools, "Resource Links", "Embedded Resources").
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
  for (array_reader elements{array.value_or("")}; elements.next();)
    function(elements.value());
}

/// Maps content that is one part, or an array of parts.
void map_contents(token content, uri_edits& edits) {
  edits.map_content(content.value_or(""));
  for_each_element(content, [&](std::string_view part) { edits.map_content(part); });
}

/// Skips most results quickly: the words that go with a URI occur in the text, unless written with escapes.
bool may_have_uris(std::string_view response) {
  auto has = [&](std::string_view word) { return response.find(word) != response.npos; };
  return has("resource") || has("outputTemplate") || has("\\u");
}

/// Reads each byte as rarely as possible, as a result may be long.
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

/// True if a URI of the server without a prefix needs no mark.
bool is_unmarked(const catalog_members& members, std::string_view uri) {
  return is_ui_uri(uri) ? members.all().size() == 1 : !read_merged_uri(uri);
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

std::optional<owned_name> owner_of_uri(catalog_members& members, std::string_view uri) {
  if (members.sole_unprefixed() && is_unmarked(members, uri))
    return owner_of_unmarked(members, uri);
  if (auto known = read_merged_uri(uri))
    if (auto server = members.find_named(known->server))
      return owned_name{server, std::move(known->original)};
  return is_ui_uri(uri) ? std::nullopt : owner_of_unmarked(members, uri);
}

std::string client_uri(const catalog_members& members, const catalog_member& of, std::string_view original) {
  if (members.sole_unprefixed() == &of && is_unmarked(members, original))
    return std::string{original};
  return merged_uri(of.server.name, original);
}

message with_client_uri(const catalog_members& members, const catalog_member& of, message from) {
  auto token = find_member(from.text, {"params", "uri"});
  auto uri = token ? string_value(*token) : std::nullopt;
  if (!uri)
    return from;
  auto edits = std::vector{replacing(from.text, *token, quoted(client_uri(members, of, *uri)))};
  return spliced(std::move(from), std::move(edits));
}

message with_client_uris(const catalog_members& members, const catalog_member& of, message from, result_shape shape) {
  auto edits = result_uris(from.text, shape, [&](std::string_view uri) { return client_uri(members, of, uri); });
  return spliced(std::move(from), std::move(edits));
}

} // namespace troupe::protocol
