#include "protocol/access/uri_readings.hpp"

#include <algorithm>
#include <boost/url/decode_view.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/url.hpp>

namespace troupe::protocol {

namespace {

constexpr std::string_view good_marks = "-._~:/?#[]@!$&'()*+,;=%";

bool is_good(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         good_marks.find(c) != good_marks.npos;
}

std::string_view without_space_around(std::string_view text) {
  while (!text.empty() && text.front() >= 0 && text.front() <= ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() >= 0 && text.back() <= ' ')
    text.remove_suffix(1);
  return text;
}

/// As browsers and Node read it: what no URI may have is left out, or escaped.
std::string tidied(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (auto c : without_space_around(text)) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\t' || c == '\r' || c == '\n')
      continue;
    if (is_good(c) || c == '\\')
      result += c == '\\' ? '/' : c;
    else
      ((result += '%') += digits[byte >> 4U]) += digits[byte & 15U];
  }
  return result;
}

std::string decoded(std::string_view text) {
  auto read = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!read)
    return std::string{text};
  std::string result;
  for (auto c : **read)
    result += c;
  return result;
}

std::string without_doubled_slashes(std::string text) {
  auto is_doubled = [](char a, char b) { return a == '/' && b == '/'; };
  text.erase(std::unique(text.begin(), text.end(), is_doubled), text.end());
  return text;
}

/// Scheme, authority and path, and nothing else. A file has no other host than this one.
std::string place_of(const boost::urls::url& uri) {
  std::string scheme{uri.scheme()}, path{uri.encoded_path()};
  if (scheme == "file")
    return "file://" + without_doubled_slashes("/" + path);
  auto authority = uri.has_authority() ? "//" + std::string{uri.encoded_authority()} : std::string{};
  return scheme + ":" + authority + without_doubled_slashes(std::move(path));
}

void add_readings(std::string_view text, std::vector<std::string>& to) {
  auto tidy = tidied(text);
  auto parsed = boost::urls::parse_uri({tidy.data(), tidy.size()});
  if (!parsed)
    return to.push_back(std::move(tidy));
  boost::urls::url uri{*parsed};
  uri.normalize();
  to.emplace_back(uri.buffer());
  auto place = place_of(uri);
  // Slashes that were doubled may have kept dots from being taken out.
  if (auto again = boost::urls::parse_uri({place.data(), place.size()}); again) {
    boost::urls::url once_more{*again};
    once_more.normalize();
    to.push_back(place_of(once_more));
  }
  uri.remove_fragment();
  to.emplace_back(uri.buffer());
}

} // namespace

std::vector<std::string> readings_of_uri(std::string_view uri) {
  std::vector<std::string> result{std::string{uri}};
  add_readings(uri, result);
  add_readings(decoded(tidied(uri)), result);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

} // namespace troupe::protocol
