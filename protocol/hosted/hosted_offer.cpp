#include "protocol/hosted/hosted_offer.hpp"

#include "protocol/text/url.hpp"

#include <boost/json/serialize.hpp>

namespace troupe::protocol {

namespace {

/// Takes the text up to the next variable off the template.
std::string_view take_literal(std::string_view& from) {
  auto literal = from.substr(0, from.find('{'));
  from.remove_prefix(literal.size());
  return literal;
}

/// Takes a variable off the template; returns its name without braces, nullopt if the template is malformed.
std::optional<std::string_view> take_name(std::string_view& from) {
  auto end = from.find('}');
  if (end == from.npos)
    return std::nullopt;
  auto name = from.substr(1, end - 1);
  from.remove_prefix(end + 1);
  return name;
}

/// Returns the size of the value of a variable that `literal` follows; an empty one ends the template.
std::size_t variable_size(std::string_view uri, std::string_view literal, bool last) {
  if (last && literal.empty())
    return uri.size();
  if (last)
    return uri.ends_with(literal) ? uri.size() - literal.size() : 0;
  auto end = uri.find(literal, 1);
  return end == uri.npos ? 0 : end;
}

} // namespace

std::optional<boost::json::object> match_uri(std::string_view uri_template, std::string_view uri) {
  boost::json::object result;
  auto literal = take_literal(uri_template);
  while (uri.starts_with(literal)) {
    uri.remove_prefix(literal.size());
    if (uri_template.empty())
      return uri.empty() ? std::optional{result} : std::nullopt;
    auto name = take_name(uri_template);
    literal = take_literal(uri_template);
    auto size = variable_size(uri, literal, uri_template.empty());
    auto value = uri.substr(0, size);
    if (!name || value.empty())
      return std::nullopt;
    auto reserved = name->starts_with('+');
    auto decoded = percent_decoded(value);
    if (!decoded || (!reserved && value.find('/') != value.npos))
      return std::nullopt;
    result[name->substr(reserved ? 1 : 0)] = *decoded;
    uri.remove_prefix(size);
  }
  return std::nullopt;
}

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
