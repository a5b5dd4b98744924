// The JSON readers agree with Boost.JSON on which texts are valid, and on their values.

#include "protocol/text/checked_json.hpp"
#include "protocol/text/json.hpp"
#include "tests/fuzz/boost_json.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

namespace json = boost::json;

void check_value(std::string_view text, const json::value& is);

void check_object(std::string_view text, const json::object& is) {
  // Boost.JSON keeps the last of two members with the same name.
  json::object seen;
  for (object_reader members{text}; members.next();) {
    auto value = parsed(members.value());
    require(value.has_value(), "a member's value is valid");
    seen[json::string_view{members.key().data(), members.key().size()}] = std::move(*value);
  }
  require(seen == is, "an object has the members that are read");
}

void check_array(std::string_view text, const json::array& is) {
  std::size_t count = 0;
  for (array_reader elements{text}; elements.next(); ++count) {
    require(count < is.size(), "an array has no more elements than are there");
    check_value(elements.value(), is[count]);
  }
  require(count == is.size(), "an array has all elements");
}

void check_string(std::string_view text, const json::string& is) {
  auto read = string_value(text);
  require(read && *read == std::string_view{is.data(), is.size()}, "a string has its characters");
  auto again = string_value(quoted(*read));
  require(again == read, "a quoted string is the same string");
}

void check_value(std::string_view text, const json::value& is) {
  text = trimmed(text);
  if (is.is_object())
    check_object(text, is.get_object());
  else if (is.is_array())
    check_array(text, is.get_array());
  else if (is.is_string())
    check_string(text, is.get_string());
}

void check_search(std::string_view text) {
  wanted_member inner[] = {{"b"}, {"c"}};
  wanted_member wanted[] = {{"a", inner}, {"id"}, {"method"}};
  if (!find_checked(text, wanted))
    return;
  require(!json_error(text), "what is found at once is in a valid text");
  for (auto& one : wanted)
    require(find_member(text, {one.name}).value_or(std::string_view{}) == one.value, "both searches find the same");
  for (auto& one : inner)
    if (wanted[0].value.starts_with('{'))
      require(find_member(text, {"a", one.name}).value_or(std::string_view{}) == one.value,
              "both searches find the same further down");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(bytes), size};
  auto value = parsed(text);
  auto error = json_error(text);
  if (!value && may_have_halves(text))
    return 0;
  require(value.has_value() == !error.has_value(), "Boost.JSON agrees on what is valid");
  require(!surely_valid(text) || value, "what is surely valid is valid");
  if (value)
    check_value(text, *value);
  if (trimmed(text).starts_with('{'))
    check_search(text);
  return 0;
}
