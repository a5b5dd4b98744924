#pragma once

#include "protocol/message/lists.hpp"

#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Matches a URI against a template (RFC 6570, levels 1 and 2). Returns the values of the variables, each a string, or
/// nullopt if the URI does not match. `{x}` matches one or more characters except `/`, `{+x}` any. A variable ends at
/// the first occurrence of the text that follows it in the template.
std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri);

/// Maximum number of list items in one answer.
inline constexpr std::size_t hosted_page = 100;

/// Tool, prompt, resource or template of a hosted server.
struct hosted_item {
  /// Number of the item, unique as long as the server exists.
  std::uint64_t number = 0;
  /// Item as listed, and its JSON text.
  boost::json::object shown;
  std::string text;

  /// String member of the item; empty when missing or no string.
  std::string_view string_at(std::string_view member) const;
};

/// Page of a list: the elements of a JSON array as text.
struct hosted_page_text {
  std::string items;
  /// Number of the page's last item, if more items follow.
  std::optional<std::uint64_t> last;
};

/// List of a hosted server, in the order in which items were added. Copies share the items.
class hosted_list {
public:
  /// Adds an item; replaces the item with the same key.
  void put(const std::string& key, hosted_item item);
  bool erase(std::string_view key);
  const hosted_item* find(std::string_view key) const;
  /// Returns the items after that number, whose own item may have been removed.
  hosted_page_text page(std::uint64_t after) const;

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

private:
  std::map<std::uint64_t, std::shared_ptr<const hosted_item>> items_;
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

/// Tools, prompts, resources and templates that a hosted server offers to clients.
struct hosted_offer {
  /// `serverInfo` of the answer to `initialize`.
  boost::json::object info;
  std::string instructions;
  /// Whether the server completes arguments.
  bool completes = false;
  std::uint64_t last_number = 0;
  std::array<hosted_list, 4> lists;

  hosted_list& list(list_kind kind) { return lists.at(static_cast<std::size_t>(kind)); }
  const hosted_list& list(list_kind kind) const { return lists.at(static_cast<std::size_t>(kind)); }
  /// Adds an item, in place of the item with the same name or URI; returns its number.
  std::uint64_t put(list_kind kind, boost::json::object shown);
};

/// Resource, or template that matches the URI with the values of its variables.
struct hosted_resource {
  const hosted_item* item = nullptr;
  boost::json::object variables;
};

/// Finds the resource with that URI, else a template that matches it; empty when there is neither.
std::optional<hosted_resource> find_resource(const hosted_offer& offer, std::string_view uri);

} // namespace troupe::protocol
