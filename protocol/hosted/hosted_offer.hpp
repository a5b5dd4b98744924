#pragma once

#include "protocol/message/list_kind.hpp"

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

/// Items of a list that one answer has at most.
inline constexpr std::size_t hosted_page = 100;

/// A tool, a prompt, a resource or a template that a hosted server offers.
struct hosted_item {
  /// Never used again.
  std::uint64_t number = 0;
  /// As it stands in the list.
  boost::json::object shown;
  std::string text;

  /// One of its members; empty when it is no string.
  std::string_view string_at(std::string_view member) const;
};

/// A part of a list, as the elements of a JSON array.
struct hosted_page_text {
  std::string items;
  /// The last item of the page, when there are more.
  std::optional<std::uint64_t> last;
};

/// One of the lists of a hosted server, in the order in which it grew. Copying it is cheap for what it holds.
class hosted_list {
public:
  /// Replaces the item with the same key.
  void put(const std::string& key, hosted_item item);
  bool erase(std::string_view key);
  const hosted_item* find(std::string_view key) const;
  /// The items that come after one that was there, even if it no longer is.
  hosted_page_text page(std::uint64_t after) const;

  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

private:
  std::map<std::uint64_t, std::shared_ptr<const hosted_item>> items_;
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

/// All that a hosted server offers.
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

/// A resource, or a template that stands for it and then the values of its variables.
struct hosted_resource {
  const hosted_item* item = nullptr;
  boost::json::object variables;
};

/// Nothing when no resource and no template has this URI.
std::optional<hosted_resource> find_resource(const hosted_offer& offer, std::string_view uri);

} // namespace troupe::protocol
