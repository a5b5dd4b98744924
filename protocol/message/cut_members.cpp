#include "protocol/message/cut_members.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// Where the text goes on after the next comma; `at` itself when there is none.
const char* after_comma(const char* at, const char* end) {
  auto next = std::find_if_not(at, end, is_json_space);
  return next != end && *next == ',' ? next + 1 : at;
}

} // namespace

bool cut_members(std::string_view text, std::string_view object, const member_choice& goes, std::vector<edit>& edits) {
  auto from = object.data() + 1;
  auto has_others = false;
  for (object_reader members{object}; members.next();) {
    auto value = members.value();
    auto end = value.data() + value.size();
    if (goes(members.key(), value)) {
      // A member goes with the comma before it, or with the one after it while it is the first.
      if (!has_others)
        end = after_comma(end, object.data() + object.size());
      edits.push_back(replacing(text, {from, static_cast<std::size_t>(end - from)}, {}));
    } else {
      has_others = true;
    }
    from = end;
  }
  return has_others;
}

edit adding(std::string_view text, std::string_view object, bool has_others, std::string members) {
  return replacing(text, object.substr(object.size() - 1, 0), (has_others ? "," : "") + std::move(members));
}

} // namespace troupe::protocol
