#include "protocol/hosted/hosted_offer.hpp"

#include "protocol/text/uri_template.hpp"

#include <boost/json/serialize.hpp>

namespace troupe::protocol {

std::string_view hosted_item::string_at(std::string_view member) const {
  auto* value = shown.if_contains(member);
  auto* found = value ? value->if_string() : nullptr;
  return found ? std::string_view{found->data(), found->size()} : std::string_view{};
}

void hosted_list::put(const std::string& key, hosted_item item) {
  erase(key);
  auto number = item.number;
  numbers_.emplace(key, number);
  items_.emplace(number, std::make_shared<const hosted_item>(std::move(item)));
}

bool hosted_list::erase(std::string_view key) {
  auto found = numbers_.find(key);
  if (found == numbers_.end())
    return false;
  items_.erase(found->second);
  numbers_.erase(found);
  return true;
}

const hosted_item* hosted_list::find(std::string_view key) const {
  auto found = numbers_.find(key);
  return found == numbers_.end() ? nullptr : items_.at(found->second).get();
}

hosted_page_text hosted_list::page(std::uint64_t after) const {
  hosted_page_text result;
  std::size_t count = 0;
  for (auto at = items_.upper_bound(after); at != items_.end(); ++at) {
    result.items += (count == 0 ? "" : ",") + at->second->text;
    if (++count < hosted_page)
      continue;
    if (std::next(at) != items_.end())
      result.last = at->first;
    break;
  }
  return result;
}

std::uint64_t hosted_offer::put(list_kind kind, boost::json::object shown) {
  hosted_item item{++last_number, std::move(shown), {}};
  item.text = boost::json::serialize(item.shown);
  std::string key{item.string_at(key_member(kind))};
  list(kind).put(key, std::move(item));
  return last_number;
}

std::optional<hosted_resource> find_resource(const hosted_offer& offer, std::string_view uri) {
  if (auto* exact = offer.list(list_kind::resources).find(uri))
    return hosted_resource{exact, {}};
  for (auto& [number, item] : offer.list(list_kind::templates))
    if (auto variables = match_uri(item->string_at(key_member(list_kind::templates)), uri))
      return hosted_resource{item.get(), std::move(*variables)};
  return std::nullopt;
}

} // namespace troupe::protocol
