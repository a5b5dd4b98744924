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

/// A number of seconds, not negative and below 10^9, which nanoseconds can still count. Rounded up, so that only
/// nothing is zero.
std::optional<std::chrono::milliseconds> duration_of(double seconds);

/// A decimal number and its unit: `500ms`, `30s`, `1.5m`, `1h`.
std::optional<std::chrono::milliseconds> duration_of(std::string_view text);

/// Names of values that a key or flag may have, and what they stand for.
template <class Value>
using choices = std::vector<std::pair<std::string, Value>>;

struct config_member;

/// A value in a configuration file, and the path of keys to it. Reading it as another type gives nothing and reports a
/// problem.
class config_value {
public:
  /// `token` is a part of the text that the report is about, and valid JSON.
  config_value(config_report& report, std::string_view token, std::string key = {})
      : report_(&report), token_(token), key_(std::move(key)) {}

  std::string_view token() const { return token_; }
  const std::string& key() const { return key_; }
  bool is_object() const { return token_.starts_with('{'); }
  bool is_text() const { return token_.starts_with('"'); }
  bool is_null() const { return token_ == "null"; }
  bool is_truth() const { return token_ == "true" || token_ == "false"; }
  bool is_number() const { return token_.find_first_of("-0123456789") == 0; }

  std::optional<std::string> text() const;
  /// A text that is not empty.
  std::optional<std::string> filled_text() const;
  std::optional<bool> truth() const;
  /// A whole number; at most 2^53, as in every reader of JSON.
  std::optional<std::uint64_t> whole(std::uint64_t least, std::uint64_t most) const;
  /// A number of seconds, or a text with a unit such as `500ms`; above zero.
  std::optional<std::chrono::milliseconds> duration() const;
  std::optional<std::chrono::milliseconds> duration_or_zero() const;
  /// The elements of an array; none when it is no array.
  std::vector<config_value> elements() const;
  /// An array of texts; those elements that are none are left out.
  std::vector<std::string> texts() const;
  /// The members of an object; none when it is no object. One that is given twice is there once.
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
