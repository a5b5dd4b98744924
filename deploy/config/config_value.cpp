#include "deploy/config/config_value.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>

namespace troupe::deploy {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr double longest = 1e9; // seconds, about thirty years
constexpr std::size_t most_decimals = 3;

/// Unit, and the most digits before the point that keep a number below `longest`.
struct unit {
  std::string_view name;
  double milliseconds;
  std::size_t digits;
};

constexpr unit units[] = {{"ms", 1, 12}, {"s", 1000, 9}, {"m", 60'000, 7}, {"h", 3'600'000, 5}};

std::chrono::milliseconds rounded_up(double milliseconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(std::ceil(milliseconds))};
}

bool is_decimal(std::string_view text, std::size_t most_whole) {
  const auto whole = std::min(text.find_first_not_of(digits), text.size());
  const auto fraction = text.substr(whole);
  const bool plain = fraction.empty() || (fraction.front() == '.' && fraction.size() > 1 &&
                                          fraction.find_first_not_of(digits, 1) == std::string_view::npos);
  return plain && whole > 0 && whole <= most_whole && fraction.size() <= most_decimals + 1;
}

/// Longest part of a name that a path of keys shows.
constexpr std::size_t shown_name = 80;

bool is_plain(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return c == '_' || c == '-' || c == '$' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  });
}

std::string shortened(std::string_view name) {
  if (name.size() <= shown_name)
    return std::string(name);
  auto end = shown_name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;
  return std::string(name.substr(0, end)) + "...";
}

std::string member_key(const std::string& parent, std::string_view name) {
  if (!is_plain(name))
    return parent + "['" + shortened(name) + "']";
  return (parent.empty() ? "" : parent + '.') + shortened(name);
}

/// Parses a number as every JSON reader does: too large becomes infinite, too small becomes zero.
double number_of(std::string_view token) {
  double result = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), result);
  if (error == std::errc::result_out_of_range && token.find("e-") == token.npos && token.find("E-") == token.npos)
    return HUGE_VAL;
  return result;
}

} // namespace

std::optional<std::chrono::milliseconds> duration_of(double seconds) {
  if (!(seconds >= 0 && seconds < longest))
    return std::nullopt;
  return rounded_up(seconds * 1000);
}

std::optional<std::chrono::milliseconds> duration_of(std::string_view text) {
  const auto end = text.find_last_of(digits) + 1; // 0 if there are no digits
  const auto number = text.substr(0, end);
  const auto* const found = std::ranges::find(units, text.substr(end), &unit::name);
  if (found == std::end(units) || !is_decimal(number, found->digits))
    return std::nullopt;
  double value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return rounded_up(value * found->milliseconds);
}

std::string time_text(std::chrono::milliseconds time) {
  for (const auto& [unit, name] : {std::pair{std::chrono::milliseconds{std::chrono::hours{1}}, "h"},
                                   {std::chrono::minutes{1}, "m"},
                                   {std::chrono::seconds{1}, "s"}})
    if (time.count() > 0 && time % unit == std::chrono::milliseconds::zero())
      return std::to_string(time / unit) + name;
  return std::to_string(time.count()) + "ms";
}

std::nullopt_t config_value::must_be(const std::string& what) const {
  error("must be " + what);
  return std::nullopt;
}

std::optional<std::string> config_value::text() const {
  if (!is_text())
    return must_be("a string");
  auto result = protocol::string_value(token_);
  if (result && result->find('\0') != std::string::npos)
    return must_be("a string without NUL");
  return result;
}

std::optional<std::string> config_value::nonempty_text() const {
  auto result = text();
  if (result && result->empty())
    return must_be("a string that is not empty");
  return result;
}

std::optional<bool> config_value::boolean() const {
  if (!is_boolean())
    return must_be("true or false");
  return token_ == "true";
}

std::optional<std::uint64_t> config_value::whole(std::uint64_t least, std::uint64_t most) const {
  const auto number = is_number() ? number_of(token_) : -1;
  if (number != std::floor(number) || number < static_cast<double>(least) || number > static_cast<double>(most))
    return must_be("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return static_cast<std::uint64_t>(number);
}

std::optional<std::chrono::milliseconds> config_value::duration() const { return duration(false); }

std::optional<std::chrono::milliseconds> config_value::duration_or_zero() const { return duration(true); }

std::optional<std::chrono::milliseconds> config_value::duration(bool zero) const {
  std::optional<std::chrono::milliseconds> result;
  if (is_number())
    result = duration_of(number_of(token_));
  else if (is_text())
    result = duration_of(protocol::string_value(token_).value_or(""));
  if (result && (zero || result->count() > 0))
    return result;
  return must_be("seconds, or a string such as `500ms`, `30s`, `5m` or `1h`" + std::string(zero ? "" : ", above zero"));
}

std::vector<config_value> config_value::elements() const {
  if (!token_.starts_with('[')) {
    must_be("an array");
    return {};
  }
  std::vector<config_value> result;
  for (protocol::array_reader array{token_}; array.next();)
    result.emplace_back(*report_, array.value(), key_ + '[' + std::to_string(result.size()) + ']');
  return result;
}

std::vector<std::string> config_value::texts() const {
  std::vector<std::string> result;
  for (const auto& element : elements())
    if (auto text = element.nonempty_text())
      result.push_back(std::move(*text));
  return result;
}

std::vector<config_member> config_value::members() const {
  if (!is_object()) {
    must_be("an object");
    return {};
  }
  std::vector<config_member> result;
  std::set<std::string, std::less<>> seen;
  for (protocol::object_reader object{token_}; object.next();) {
    config_value value{*report_, object.value(), member_key(key_, object.key())};
    if (seen.emplace(object.key()).second)
      result.push_back({std::string(object.key()), std::move(value)});
    else
      value.error("is given twice");
  }
  return result;
}

} // namespace troupe::deploy
