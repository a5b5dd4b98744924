#include "protocol/admin/query_fields.hpp"

#include "protocol/text/number.hpp"
#include "protocol/text/percent.hpp"

#include <algorithm>

namespace troupe::protocol {

query_fields::query_fields(std::string_view query) {
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto name = pair.substr(0, pair.find('='));
    std::string text{pair.substr(std::min(name.size() + 1, pair.size()))};
    std::ranges::replace(text, '+', ' ');
    auto value = percent_decoded(text);
    if (!value)
      complain("the query has a % without two hexadecimal digits");
    else if (!name.empty())
      all_.emplace_back(name, std::move(*value));
  }
}

void query_fields::complain(std::string what) {
  if (!fault_)
    fault_ = std::move(what);
}

std::optional<std::string> query_fields::take(std::string_view name) {
  auto found = std::ranges::find(all_, name, &std::pair<std::string, std::string>::first);
  if (found == all_.end())
    return std::nullopt;
  auto result = std::move(found->second);
  all_.erase(found);
  return result;
}

std::uint64_t query_fields::take_number(std::string_view name, std::uint64_t otherwise) {
  const auto text = take(name);
  const auto number = text ? read_number(*text) : otherwise;
  if (!number)
    complain(std::string{name} + " has to be a number");
  return number.value_or(otherwise);
}

std::size_t query_fields::take_size(std::string_view name, std::size_t otherwise, std::size_t most) {
  const auto number = take_number(name, otherwise);
  if (number < 1 || number > most)
    complain(std::string{name} + " has to be a number from 1 to " + std::to_string(most));
  return static_cast<std::size_t>(number);
}

std::optional<bool> query_fields::take_choice(std::string_view name) {
  const auto text = take(name);
  if (text && *text != "true" && *text != "false")
    complain(std::string{name} + " has to be true or false");
  return text ? std::optional{*text == "true"} : std::nullopt;
}

std::optional<std::string> query_fields::fault() const {
  if (fault_ || all_.empty())
    return fault_;
  return "there is no parameter " + all_.front().first.substr(0, 100) + " at this path, or it is there twice";
}

} // namespace troupe::protocol
