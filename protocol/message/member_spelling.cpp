#include "protocol/message/member_spelling.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace troupe::protocol {

namespace {

/// In lower case, as Go folds it: a long s and the sign for Kelvin are letters there, too.
std::string folded(std::string_view key) {
  auto result = lower(key);
  for (auto [sign, letter] : {std::pair{"\xc5\xbf", "s"}, {"\xe2\x84\xaa", "k"}})
    for (auto at = result.find(sign); at != result.npos; at = result.find(sign, at))
      result.replace(at, std::string_view{sign}.size(), letter);
  return result;
}

/// Cheap, as messages may have any number of members.
bool may_be_spelling_of(std::string_view key, std::string_view name) {
  constexpr std::size_t longest_sign = 3;
  return key.size() >= name.size() && key.size() <= longest_sign * name.size() &&
         (static_cast<unsigned char>(key.front()) >= 0x80 || same_word(key.substr(0, 1), name.substr(0, 1)));
}

} // namespace

bool is_spelling_of(std::string_view key, std::string_view name) {
  const auto seen = until_null(key);
  return key == name || (may_be_spelling_of(seen, name) && folded(seen) == lower(name));
}

bool is_other_spelling(std::string_view key, std::initializer_list<std::string_view> names) {
  auto is_one = [&](std::string_view name) { return is_spelling_of(key, name); };
  return std::ranges::find(names, key) == names.end() && std::ranges::any_of(names, is_one);
}

} // namespace troupe::protocol
