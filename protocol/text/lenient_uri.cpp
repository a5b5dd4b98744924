#include "protocol/text/lenient_uri.hpp"

#include "protocol/text/ip_address.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace troupe::protocol {

namespace {

constexpr std::string_view lenient_digits = "0123456789ABCDEF";

bool is_uri_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_uri_digit(char c) { return c >= '0' && c <= '9'; }
bool is_control_or_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

/// Returns the value of a hexadecimal digit; nullopt for other characters.
std::optional<unsigned> hex_digit_value(char c) {
  auto at = lenient_digits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c);
  return at == lenient_digits.npos ? std::nullopt : std::optional{static_cast<unsigned>(at)};
}

/// Removes line breaks and tabs, which both kinds of libraries ignore.
std::string without_breaks(std::string_view text) {
  std::string result{text};
  std::erase_if(result, [](char c) { return c == '\t' || c == '\r' || c == '\n'; });
  return result;
}

std::string_view without_controls_before(std::string_view text) {
  while (!text.empty() && is_control_or_blank(text.front()))
    text.remove_prefix(1);
  return text;
}

std::string_view without_controls_around(std::string_view text) {
  text = without_controls_before(text);
  while (!text.empty() && is_control_or_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

/// Takes the scheme and its colon off the text.
std::optional<std::string> take_scheme(std::string_view& text) {
  auto is_of_scheme = [](char c) { return is_uri_letter(c) || is_uri_digit(c) || c == '+' || c == '-' || c == '.'; };
  auto colon = text.find(':');
  if (colon == text.npos || colon == 0 || !is_uri_letter(text.front()) ||
      !std::ranges::all_of(text.substr(0, colon), is_of_scheme))
    return std::nullopt;
  auto result = lower(text.substr(0, colon));
  text.remove_prefix(colon + 1);
  return result;
}

/// Takes the text before the first of these characters off the front.
std::string_view take_up_to(std::string_view& text, std::string_view ends) {
  auto result = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(result.size());
  return result;
}

/// Takes query and fragment off the end of the text.
void take_query(std::string_view& text, lenient_uri& to) {
  auto mark = std::min(text.find('#'), text.size());
  to.fragment = text.substr(mark);
  text = text.substr(0, mark);
  mark = std::min(text.find('?'), text.size());
  to.query = text.substr(mark);
  text = text.substr(0, mark);
}

// -- as browsers do ------------------------------------------------------------------------

/// Schemes whose URIs have parsing rules of their own, with their ports (WHATWG URL, 4.2).
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> special_schemes{
    {{"file", ""}, {"ftp", "21"}, {"http", "80"}, {"https", "443"}, {"ws", "80"}, {"wss", "443"}}};

const std::pair<std::string_view, std::string_view>* special(std::string_view scheme) {
  auto found = std::ranges::find(special_schemes, scheme, [](auto& one) { return one.first; });
  return found == special_schemes.end() ? nullptr : &*found;
}

/// Characters that `percent_escaped` escapes besides controls and non-ASCII (WHATWG URL, 1.3).
constexpr std::string_view none_escaped, fragment_escaped = " \"<>`", query_escaped = " \"#<>",
                                         special_query_escaped = " \"#<>'", path_escaped = " \"#<>?^`{}";

std::string percent_escaped(std::string_view text, std::string_view which) {
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f && which.find(c) == which.npos)
      result += c;
    else
      result.append(1, '%').append(1, lenient_digits[byte >> 4U]).append(1, lenient_digits[byte & 15U]);
  }
  return result;
}

/// Returns the number of dots (1 or 2) that a segment consists of, each possibly escaped; 0 for other segments.
int dots_in(std::string_view segment) {
  int result = 0;
  while (!segment.empty() && ++result <= 2) {
    auto is_escaped = segment.size() > 2 && segment[0] == '%' && segment[1] == '2' && (segment[2] | 0x20) == 'e';
    if (!is_escaped && segment.front() != '.')
      return 0;
    segment.remove_prefix(is_escaped ? 3 : 1);
  }
  return result <= 2 ? result : 0;
}

bool is_drive(std::string_view segment) {
  return segment.size() == 2 && is_uri_letter(segment[0]) && (segment[1] == ':' || segment[1] == '|');
}

/// Parser of a path (WHATWG URL, 4.4 "path state").
class browser_path {
public:
  browser_path(std::string_view slashes, drives which, bool is_file)
      : slashes_{slashes}, which_{which}, is_file_{is_file} {}

  /// Parses the text after the first slash.
  std::string read(std::string_view text) {
    while (true) {
      auto segment = take_up_to(text, slashes_);
      auto is_last = text.empty();
      add(segment, is_last);
      if (is_last)
        break;
      text.remove_prefix(1);
    }
    std::string result;
    for (auto& one : segments_)
      result.append("/").append(one);
    return result;
  }

private:
  void add(std::string_view segment, bool is_last) {
    const auto dots = dots_in(segment);
    if (dots == 0)
      return keep(segment);
    if (dots == 2 && !segments_.empty() && !ends_at_drive())
      segments_.pop_back();
    if (is_last)
      segments_.emplace_back();
  }
  bool ends_at_drive() const {
    return is_file_ && segments_.size() == 1 &&
           is_drive(std::string_view{segments_.front()}.substr(0, which_ == drives::of_whatwg ? std::string::npos : 2));
  }
  void keep(std::string_view segment) {
    segments_.push_back(percent_escaped(segment, path_escaped));
    if (is_file_ && segments_.size() == 1 && is_drive(segment))
      segments_.back()[1] = ':';
  }

  std::string_view slashes_;
  drives which_;
  bool is_file_;
  std::vector<std::string> segments_;
};

/// Whether browsers take a host for a number, even one that is no address (WHATWG URL, 3.5 "ends in a number").
bool ends_in_number(std::string_view host) {
  if (host.ends_with('.'))
    host.remove_suffix(1);
  auto last = host.substr(host.rfind('.') + 1);
  return !last.empty() && (std::ranges::all_of(last, is_uri_digit) || last.starts_with("0x"));
}

bool is_doubtful(std::string_view host) {
  auto is_plain = [](char c) { return c > ' ' && c < 0x7f && c != '%'; };
  if (!std::ranges::all_of(host, is_plain))
    return true;
  auto in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  auto literal = in_brackets ? host.substr(1, host.size() - 2) : host;
  if (auto address = read_ip_address(literal))
    return address_text(*address) != literal || address->is_four() == in_brackets;
  return in_brackets || ends_in_number(host);
}

/// Whether a host of a scheme unknown to browsers is ambiguous. Browsers keep such hosts as they are written. Python
/// changes the case of letters outside ASCII too, and some libraries parse addresses.
bool may_be_another_host(std::string_view authority) {
  const auto host = lower(authority.substr(authority.rfind('@') + 1));
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::ranges::all_of(host, is_ascii))
    return true;
  return host.starts_with('[') && is_doubtful(std::string_view{host}.substr(0, host.find(']') + 1));
}

/// Removes an empty port, the scheme's own port, and leading zeros of other ports.
std::string with_plain_port(std::string host, std::string_view own) {
  const auto colon = host.rfind(':');
  if (colon == host.npos ||
      !std::all_of(host.begin() + static_cast<std::ptrdiff_t>(colon) + 1, host.end(), is_uri_digit))
    return host;
  auto port = host.substr(colon + 1);
  if (!port.empty())
    port.erase(0, std::min(port.find_first_not_of('0'), port.size() - 1));
  host.resize(colon);
  return port.empty() || port == own ? host : host + ":" + port;
}

/// Reads the authority of a special scheme: its host in lower case, without escapes, and without the scheme's own port.
void read_authority(std::string_view text, std::string_view port, lenient_uri& to) {
  auto at = text.rfind('@');
  auto user = at == text.npos ? std::string_view{} : text.substr(0, at + 1);
  auto host = with_plain_port(lower(leniently_decoded(text.substr(user.size()))), port);
  auto colon = host.rfind(':');
  auto has_port = colon != host.npos && host.find(']', colon) == host.npos;
  to.has_doubtful_host = is_doubtful(std::string_view{host}.substr(0, has_port ? colon : host.size()));
  to.authority = std::string{user} + host;
}

/// Takes the authority off the text, where a browser finds one.
void take_authority(std::string_view& text, lenient_uri& to) {
  constexpr std::string_view both = "/\\";
  const auto is_slash = [&](std::size_t at) { return at < text.size() && both.find(text[at]) != both.npos; };
  auto found = special(to.scheme);
  if (!found) {
    if (!text.starts_with("//"))
      return;
    text.remove_prefix(2);
    const auto authority = take_up_to(text, "/");
    to.has_doubtful_host = may_be_another_host(authority);
    to.authority = with_plain_port(percent_escaped(authority, none_escaped), {});
  } else if (to.scheme == "file") {
    to.authority.emplace();
    if (!is_slash(0) || !is_slash(1))
      return;
    text.remove_prefix(2);
    auto rest = text;
    auto host = take_up_to(rest, both);
    if (is_drive(host))
      return;
    text = rest;
    to.authority = lower(leniently_decoded(host));
    if (to.authority == "localhost")
      to.authority->clear();
  } else {
    text.remove_prefix(std::min(text.find_first_not_of(both), text.size()));
    read_authority(take_up_to(text, both), found->second, to);
  }
}

} // namespace

std::optional<lenient_uri> read_as_browser(std::string_view uri, drives which) {
  const auto tidy = without_breaks(without_controls_around(uri));
  std::string_view text = tidy;
  auto scheme = take_scheme(text);
  if (!scheme)
    return std::nullopt;
  lenient_uri result{.scheme = std::move(*scheme)};
  const auto is_special = special(result.scheme) != nullptr;
  take_query(text, result);
  result.query = percent_escaped(result.query, is_special ? special_query_escaped : query_escaped);
  result.fragment = percent_escaped(result.fragment, fragment_escaped);
  take_authority(text, result);
  const std::string_view slashes = is_special ? "/\\" : "/";
  const auto begins = !text.empty() && slashes.find(text.front()) != slashes.npos;
  if (begins)
    text.remove_prefix(1);
  if (begins || is_special)
    result.path = browser_path{slashes, which, result.scheme == "file"}.read(text);
  else
    result.path = percent_escaped(text, none_escaped);
  return result;
}

// -- as Python does ------------------------------------------------------------------------

std::optional<lenient_uri> read_as_python(std::string_view uri) {
  const auto tidy = without_breaks(without_controls_before(uri));
  std::string_view text = tidy;
  auto scheme = take_scheme(text);
  if (!scheme)
    return std::nullopt;
  lenient_uri result{.scheme = std::move(*scheme)};
  take_query(text, result);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    result.authority = take_up_to(text, "/");
    result.has_doubtful_host = !is_special_scheme(result.scheme) && may_be_another_host(*result.authority);
  }
  result.path = text;
  return result;
}

// -- what servers do with a path -----------------------------------------------------------

bool is_special_scheme(std::string_view scheme) { return special(scheme) != nullptr; }

std::string leniently_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto high = text[i] == '%' && i + 2 < text.size() ? hex_digit_value(text[i + 1]) : std::nullopt;
    auto low = high ? hex_digit_value(text[i + 2]) : std::nullopt;
    result += low ? static_cast<char>(*high << 4U | *low) : text[i];
    i += low ? 2 : 0;
  }
  return result;
}

std::string resolved_path(std::string_view path) {
  std::vector<std::string_view> kept;
  const auto is_directory = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
  for (auto segment : words_in(path, "/"))
    if (segment == "..") {
      if (!kept.empty())
        kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
  std::string result;
  for (auto segment : kept)
    result.append("/").append(segment);
  return is_directory || result.empty() ? result + "/" : result;
}

} // namespace troupe::protocol
