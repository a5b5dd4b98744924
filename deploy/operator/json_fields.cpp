#include "deploy/operator/json_fields.hpp"

#include <boost/json/object.hpp>

#include <algorithm>

namespace troupe::deploy {

namespace json = boost::json;

const json::array& array_at(const json::value& of, std::string_view name) {
  static const json::array none;
  const auto* const value = value_at(of, name).if_array();
  return value ? *value : none;
}

const json::value& value_at(const json::value& of, std::string_view name) {
  static const json::value none;
  return has(of, name) ? of.get_object().at({name.data(), name.size()}) : none;
}

std::string text_at(const json::value& of, std::string_view name) {
  const auto* const value = value_at(of, name).if_string();
  return value ? std::string{value->data(), value->size()} : "";
}

bool flag_at(const json::value& of, std::string_view name) {
  const auto* const value = value_at(of, name).if_bool();
  return value && *value;
}

bool has(const json::value& of, std::string_view name) {
  return of.is_object() && of.get_object().contains({name.data(), name.size()});
}

std::uint64_t whole_number_at(const json::value& of, std::string_view name) {
  const auto& value = value_at(of, name);
  if (value.is_uint64())
    return value.get_uint64();
  return value.is_int64() ? static_cast<std::uint64_t>(std::max<std::int64_t>(value.get_int64(), 0)) : 0;
}

std::string whole_number_text_at(const json::value& of, std::string_view name) {
  return std::to_string(whole_number_at(of, name));
}

std::vector<std::pair<std::string, std::uint64_t>> counts_at(const json::value& of, std::string_view name) {
  std::vector<std::pair<std::string, std::uint64_t>> result;
  const auto& counts = value_at(of, name);
  if (counts.is_object())
    for (const auto& one : counts.get_object()) {
      const std::string_view key{one.key().data(), one.key().size()};
      result.emplace_back(key, whole_number_at(counts, key));
    }
  return result;
}

std::chrono::milliseconds time_at(const json::value& of, std::string_view name) {
  constexpr std::uint64_t longest = 1'000'000'000'000'000; // some 30,000 years
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::min(whole_number_at(of, name), longest))};
}

} // namespace troupe::deploy
