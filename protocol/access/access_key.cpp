#include "protocol/access/access_key.hpp"

#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <set>

namespace troupe::protocol {

namespace {

constexpr std::size_t longest_key_name = 64;
/// Last year of an expiry: the end of a day may be in the next year.
constexpr std::chrono::year last_year{9998};
constexpr std::string_view hash_prefix = "sha256:";
constexpr std::string_view none = "-";

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_hash(std::string_view text) {
  auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 64 && std::ranges::all_of(text, is_digit);
}

/// Parses a line. Returns the reason why it is no key; empty when it is one.
std::string read_key(std::string_view line, access_key& to) {
  auto words = words_in(line, " \t");
  if (words.size() != 4)
    return "a key has four parts: NAME sha256:HASH SCOPE,… EXPIRY";
  if (!is_key_name(words[0]))
    return "the name may have letters, digits, '.', '_', '@' and '-', at most 64";
  if (!words[1].starts_with(hash_prefix) || !is_hash(words[1].substr(hash_prefix.size())))
    return "the hash is 'sha256:' and 64 digits in lower case, as 'troupe key new' prints it";
  to.name = words[0];
  to.hash = words[1].substr(hash_prefix.size());
  for (auto scope : words[2] == none ? std::vector<std::string_view>{} : words_in(words[2], ",")) {
    if (!is_scope(scope))
      return "a scope has a character that it may not have";
    to.scopes.emplace_back(scope);
  }
  if (words[3] == none)
    return {};
  to.expires = read_expiry(words[3]);
  return to.expires ? "" : "the expiry is no date, such as 2027-01-31, and not '-'";
}

std::optional<unsigned> read_digits(std::string_view text, std::size_t at, std::size_t count) {
  auto number = read_number(text.substr(std::min(at, text.size()), count));
  return number ? std::optional{static_cast<unsigned>(*number)} : std::nullopt;
}

} // namespace

bool is_key_name(std::string_view name) {
  auto is_good = [](char c) {
    return is_letter_or_digit(c) || std::string_view{"._@-"}.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= longest_key_name && name != none && std::ranges::all_of(name, is_good);
}

bool is_scope(std::string_view scope) {
  auto is_good = [](char c) { return c > 0x20 && c < 0x7f && c != '"' && c != '\\' && c != ','; };
  return !scope.empty() && scope != none && std::ranges::all_of(scope, is_good);
}

std::optional<calendar_time> read_expiry(std::string_view text) {
  using namespace std::chrono;
  const auto has_time = text.size() == std::string_view{"2027-01-31T12:00:00Z"}.size();
  if ((text.size() != 10 && !has_time) || text[4] != '-' || text[7] != '-')
    return std::nullopt;
  auto year_of = read_digits(text, 0, 4), month_of = read_digits(text, 5, 2), day_of = read_digits(text, 8, 2);
  if (!year_of || !month_of || !day_of)
    return std::nullopt;
  const year_month_day date{year{static_cast<int>(*year_of)}, month{*month_of}, day{*day_of}};
  if (!date.ok() || date.year() > last_year)
    return std::nullopt;
  if (!has_time)
    return sys_days{date} + days{1};
  auto hour = read_digits(text, 11, 2), minute = read_digits(text, 14, 2), second = read_digits(text, 17, 2);
  if (text[10] != 'T' || text[13] != ':' || text[16] != ':' || text[19] != 'Z' || !hour || !minute || !second ||
      *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  return sys_days{date} + hours{*hour} + minutes{*minute} + seconds{*second};
}

std::string key_line(const access_key& key) {
  const auto scopes = joined(key.scopes, ",");
  return key.name + " " + std::string{hash_prefix} + key.hash + " " + (scopes.empty() ? std::string{none} : scopes) +
         " " + (key.expires ? utc_text(*key.expires) : std::string{none});
}

std::variant<std::vector<access_key>, bad_key_line> read_key_file(std::string_view text) {
  std::vector<access_key> result;
  std::set<std::string, std::less<>> known;
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = without_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
      line = without_blanks(line.substr(0, line.size() - 1));
    if (line.empty() || line.starts_with('#'))
      continue;
    access_key key;
    if (auto why = read_key(line, key); !why.empty())
      return bad_key_line{number, std::move(why)};
    if (!known.insert(key.name).second)
      return bad_key_line{number, "another key has this name"};
    if (!known.insert(key.hash + " ").second)
      return bad_key_line{number, "another name has this key"};
    result.push_back(std::move(key));
  }
  return result;
}

} // namespace troupe::protocol
