#include "protocol/delivery/saved_event.hpp"

#include "protocol/message/message.hpp"
#include "protocol/text/json.hpp"

namespace troupe::protocol {

namespace {

bool can_be_id(std::string_view token) {
  return !token.empty() && token.size() <= longest_id && token.front() != '{' && token.front() != '[';
}

std::optional<stream_role> read_answers(std::string_view array) {
  if (array.front() != '[')
    return std::nullopt;
  stream_role result;
  for (array_reader ids{array}; ids.next();) {
    if (result.answers.size() == max_batch || !can_be_id(ids.value()))
      return std::nullopt;
    result.answers.emplace_back(ids.value());
  }
  return result;
}

} // namespace

std::string stream_role_text(const stream_role& of) {
  if (of.listens)
    return R"({"listens":true})";
  std::string ids;
  for (auto& id : of.answers)
    ids.append(ids.empty() ? "" : ",").append(id);
  return R"({"answers":[)" + ids + "]}";
}

std::optional<stream_role> read_stream_role(std::string_view text) {
  if (json_error(text))
    return std::nullopt;
  if (find_member(text, {"listens"}) == "true")
    return stream_role{.listens = true};
  auto answers = find_member(text, {"answers"});
  return answers ? read_answers(*answers) : std::nullopt;
}

} // namespace troupe::protocol
