#include "protocol/text/glob.hpp"

#include "protocol/text/lenient_uri.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Returns the end of the UTF-8 character that begins at `at`.
std::size_t after_character(std::string_view text, std::size_t at) {
  auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  do
    ++at;
  while (at < text.size() && continues(text[at]));
  return at;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

bool is_plain_host(std::string_view host) {
  return std::ranges::all_of(host, [](char c) { return c > ' ' && c < 0x7f && c != '%'; });
}

/// Checks the pattern with its escapes resolved once and twice, as patterns are.
bool has_wildcard_bytes(std::string_view pattern) {
  const auto once = leniently_decoded(pattern);
  const auto all = once + leniently_decoded(once);
  return all.find(unwritten_wildcards.any) != all.npos || all.find(unwritten_wildcards.one) != all.npos;
}

} // namespace

bool fits_glob(std::string_view pattern, std::string_view text, wildcards signs) {
  std::size_t p = 0, t = 0;
  // Only the last star is retried: a later star can match anything that an earlier one could.
  auto star = pattern.npos;
  std::size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == signs.any) {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == signs.one) {
      ++p;
      t = after_character(text, t);
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = taken = after_character(text, taken);
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of(signs.any, p) == pattern.npos;
}

wildcard_words::wildcard_words(std::string_view pattern) {
  const auto once = leniently_decoded(pattern);
  const auto all = lower(std::string{pattern} + once + leniently_decoded(once));
  for (int number = 0; are_in(all); ++number) {
    any_ = "any" + std::to_string(number);
    one_ = "one" + std::to_string(number);
  }
}

std::string wildcard_words::put_into(std::string_view pattern) const {
  return replaced(replaced(std::string{pattern}, "*", any_), "?", one_);
}

std::string wildcard_words::taken_out_of(std::string text) const {
  return replaced(replaced(std::move(text), any_, {&unwritten_wildcards.any, 1}), one_, {&unwritten_wildcards.one, 1});
}

bool wildcard_words::are_in(std::string_view text) const {
  return text.find(any_) != text.npos || text.find(one_) != text.npos;
}

std::optional<std::string> refuse_uri_pattern(std::string_view pattern) {
  if (has_wildcard_bytes(pattern))
    return "has an escape (`%FE` or `%FF`) that no text in UTF-8 has";
  const wildcard_words words{pattern};
  const auto read = read_as_browser(words.put_into(pattern), drives::of_whatwg);
  const auto host = read ? read->authority.value_or("") : "";
  if (!read || !read->has_doubtful_host || (words.are_in(host) && is_plain_host(host)))
    return std::nullopt;
  return "has a host that no URI is known to have: write a name in ASCII (`xn--` for other letters), or an address in "
         "its usual form";
}

} // namespace troupe::protocol
