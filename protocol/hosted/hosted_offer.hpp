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

/// Most items of a list in one answer.
inline constexpr std::size_t hosted_page = 100;

/// A tool, a prompt, a resource or a template that a hosted server offers.
struct hosted_item {
  /// Identifies the item for as long as the server exists.
  std::uint64_t number = 0;
  /// The item as lists show it, and the same as text.
  boost::json::object shown;
  std::string text;

  /// A string member of the item; empty when it is no string.
  std::string_view string_at(std::string_view member) const;
};

/// A page of a list, as the text of the elements of a JSON array.
struct hosted_page_text {
  std::string items;
  /// The number of the last item of the page, when more items follow.
  std::optional<std::uint64_t> last;
};

/// One of the lists of a hosted server, in the order in which items were added. Copies share the items.
class hosted_list {
public:
  /// Replaces the item with the same key.
  void put(const std::string& key, hosted_item item);
  bool erase(std::string_view key);
  const hosted_item* find(std::string_view key) const;
  /// The items after the one of that number, which may have been removed.
  hosted_page_text page(std::uint64_t after) const;

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

private:
  std::map<std::uint64_t, std::shared_ptr<const hosted_item>> items_;
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

/// Everything that a hosted server offers to clients.
struct hosted_offer {
  /// `serverInfo`
  boost::json::object info;
  std::string instructions;
  /// Whether it completes arguments.
  bool completes = false;
  std::uint64_t last_number = 0;
  std::array<hosted_list, 4> lists;

  hosted_list& list(list_kind kind) { return lists.at(static_cast<std::size_t>(kind)); }
  const hosted_list& list(list_kind kind) const { return lists.at(static_cast<std::size_t>(kind)); }
  /// Adds to a list, in place of what has the same name or URI; returns the item's number.
  std::uint64_t put(list_kind kind, boost::json::object shown);
};

/// A resource, or the template that matches its URI with the values of the variables.
struct hosted_resource {
  const hosted_item* item = nullptr;
  boost::json::object variables;
};

/// The resource of that URI; nothing when no resource and no template has it.
std::optional<hosted_resource> find_resource(const hosted_offer& offer, std::string_view uri);

} // namespace troupe::protocol
