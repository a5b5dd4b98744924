#pragma once

#include "deploy/config/config_problem.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Converts seconds, from 0 to below 10^9, which nanoseconds can still count. Rounds up, so that only 0 becomes zero.
std::optional<std::chrono::milliseconds> duration_of(double seconds);

/// Parses a decimal number with a unit: `500ms`, `30s`, `1.5m`, `1h`.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

/// Formats a time in the longest unit that needs no fraction: `30m`.
std::string time_text(std::chrono::milliseconds time);

/// Names of the values of a key or flag, and their meaning.
template <class Value>
using choices = std::vector<std::pair<std::string, Value>>;

struct config_member;

/// Value in a configuration file, and its path of keys. If a value has another type than the one read, the result is
/// empty and a problem is reported.
class config_value {
public:
  /// `token` is a part of the report's text, and valid JSON.
  config_value(config_report& report, std::string_view token, std::string key = {})
      : report_(&report), token_(token), key_(std::move(key)) {}

  std::string_view token() const { return token_; }
  const std::string& key() const { return key_; }
  bool is_object() const { return token_.starts_with('{'); }
  bool is_text() const { return token_.starts_with('"'); }
  bool is_null() const { return token_ == "null"; }
  bool is_boolean() const { return token_ == "true" || token_ == "false"; }
  bool is_number() const { return token_.find_first_of("-0123456789") == 0; }

  std::optional<std::string> text() const;
  /// Returns a text that is not empty.
  std::optional<std::string> nonempty_text() const;
  std::optional<bool> boolean() const;
  /// Returns a whole number up to 2^53, as in every JSON reader.
  std::optional<std::uint64_t> whole(std::uint64_t least, std::uint64_t most) const;
  /// Returns a duration above zero: a number of seconds, or a text with a unit such as `500ms`.
  std::optional<std::chrono::milliseconds> duration() const;
  std::optional<std::chrono::milliseconds> duration_or_zero() const;
  /// Returns the elements of an array; none if it is no array.
  std::vector<config_value> elements() const;
  /// Returns the texts of an array; other elements are left out.
  std::vector<std::string> texts() const;
  /// Returns the members of an object; none if it is no object. A repeated member appears once.
  std::vector<config_member> members() const;
  template <class Value>
  std::optional<Value> choice(const choices<Value>& values) const;

  void error(std::string text) const { report_->add(severity::error, token_, key_, std::move(text)); }
  void warn(std::string text) const { report_->add(severity::warning, token_, key_, std::move(text)); }

private:
  std::optional<std::chrono::milliseconds> duration(bool zero) const;
  std::nullopt_t must_be(const std::string& what) const;

  config_report* report_;
  std::string_view token_;
  std::string key_;
};

struct config_member {
  std::string name;
  config_value value;
};

template <class Value>
std::optional<Value> config_value::choice(const choices<Value>& values) const {
  const auto name = text();
  if (!name)
    return std::nullopt;
  const auto found = std::ranges::find(values, *name, [](auto& one) { return one.first; });
  if (found != values.end())
    return found->second;
  std::string names;
  for (const auto& one : values)
    names += (names.empty() ? "" : ", ") + one.first;
  return must_be("one of " + names);
}

} // namespace troupe::deploy
