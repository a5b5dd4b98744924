#include "protocol/message/splice.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace troupe::protocol {

namespace {

void sort(std::vector<edit>& edits) {
  std::sort(edits.begin(), edits.end(), [](const edit& a, const edit& b) { return a.at.at < b.at.at; });
}

/// Adds the size of an edit's text. Reserves memory only, so that removed text is not subtracted.
std::size_t longer(std::size_t size, const edit& by) { return size + by.by.size(); }

/// Returns the place of a part after the edits; empty if an edit changed some of the part only.
slice moved(slice part, const std::vector<edit>& edits) {
  if (part.size == 0)
    return part;
  auto result = part;
  for (auto& [at, by] : edits) {
    if (at.at == part.at && at.size == part.size)
      result.size = by.size();
    else if (at.at + at.size <= part.at)
      result.at += by.size() - at.size;
    else if (at.at < part.at + part.size)
      return {};
  }
  return result;
}

/// Returns the offset of the params after the edits; 0 if an edit may have changed where they begin, or added `_meta`.
std::uint32_t moved_params(std::uint32_t at, const std::vector<edit>& edits) {
  if (at == 0)
    return 0;
  auto result = at;
  for (auto& one : edits) {
    if (one.by.find("_meta") != one.by.npos || (one.at.at < at && at <= one.at.at + one.at.size))
      return 0;
    if (one.at.at < at)
      result += static_cast<std::uint32_t>(one.by.size() - one.at.size);
  }
  return result;
}

/// Returns the position after the next comma; `at` itself if there is none.
const char* after_comma(const char* at, const char* end) {
  auto next = std::find_if_not(at, end, is_json_space);
  return next != end && *next == ',' ? next + 1 : at;
}

} // namespace

edit replacing(std::string_view text, std::string_view part, std::string by) {
  return {{static_cast<std::size_t>(part.data() - text.data()), part.size()}, std::move(by)};
}

std::string spliced(std::string_view text, std::vector<edit> edits) {
  sort(edits);
  std::string result;
  result.reserve(std::accumulate(edits.begin(), edits.end(), text.size(), longer));
  std::size_t done = 0;
  for (auto& one : edits) {
    result += text.substr(done, one.at.at - done);
    result += one.by;
    done = one.at.at + one.at.size;
  }
  return result += text.substr(done);
}

message spliced(message from, std::vector<edit> edits) {
  if (edits.empty())
    return from;
  from.id_at = moved(from.id_at, edits);
  from.reference_at = moved(from.reference_at, edits);
  from.name_at = moved(from.name_at, edits);
  from.params_at = moved_params(from.params_at, edits);
  from.text = spliced(from.text, std::move(edits));
  return from;
}

std::string without_member(std::string_view object, std::string_view name) {
  std::string result = "{";
  for (object_reader members{object}; members.next();) {
    if (members.key() == name)
      continue;
    result += (result.size() > 1 ? "," : "") + quoted(members.key()) + ":";
    result += members.value();
  }
  return result += "}";
}

std::string with_member(std::string_view object, std::string_view name, std::string_view value) {
  auto result = without_member(object, name);
  result.pop_back();
  result += (result.size() > 1 ? "," : "") + quoted(name) + ":";
  return result.append(value) += "}";
}

bool cut_members(std::string_view text, std::string_view object, const member_choice& goes, std::vector<edit>& edits) {
  auto from = object.data() + 1;
  auto has_others = false;
  for (object_reader members{object}; members.next();) {
    auto value = members.value();
    auto end = value.data() + value.size();
    if (goes(members.key(), value)) {
      // A member is removed with the comma before it, or with the one after it if no member before it stays.
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
