#include "protocol/message/initialize_request.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

namespace troupe::protocol {

namespace {

enum class member_type { string, object };

struct required_member {
  std::string_view name;
  member_type is;
  std::span<const required_member> members = {};
};

constexpr std::array of_implementation = {required_member{"name", member_type::string},
                                          required_member{"version", member_type::string}};
constexpr std::array of_params = {required_member{"protocolVersion", member_type::string},
                                  required_member{"capabilities", member_type::object},
                                  required_member{"clientInfo", member_type::object, of_implementation}};
constexpr std::array of_request = {required_member{"params", member_type::object, of_params}};

constexpr std::string_view type_name(member_type one) { return one == member_type::string ? "a string" : "an object"; }

bool has_type(member_type wanted, std::string_view token) {
  return token.front() == (wanted == member_type::string ? '"' : '{');
}

constexpr std::size_t most_required = of_params.size();

/// Returns the error in the members of an object; empty if there is none. `path`: place of the object.
std::string fault_in(std::string_view object, std::span<const required_member> wanted, const std::string& path) {
  std::array<std::string_view, most_required> values;
  for (object_reader members{object}; members.next();) {
    auto one = std::ranges::find(wanted, members.key(), &required_member::name);
    if (one == wanted.end())
      continue;
    auto& value = values[static_cast<std::size_t>(one - wanted.begin())];
    if (value.data())
      return path + std::string{one->name} + " is there twice";
    value = members.value();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto name = path + std::string{wanted[i].name};
    if (!values[i].data())
      return name + " is missing; it is " + std::string{type_name(wanted[i].is)};
    if (!has_type(wanted[i].is, values[i]))
      return name + " must be " + std::string{type_name(wanted[i].is)};
    if (wanted[i].members.empty())
      continue;
    if (auto fault = fault_in(values[i], wanted[i].members, name + "."); !fault.empty())
      return fault;
  }
  return {};
}

rejection bad_initialize(std::string why, const message& initialize) {
  return {400, error_code::invalid_params, "Invalid params: initialize: " + std::move(why), initialize.id};
}

} // namespace

bool client_capabilities::allow(std::string_view method) const {
  if (method.starts_with("sampling/"))
    return sampling;
  if (method.starts_with("elicitation/"))
    return elicitation;
  if (method.starts_with("roots/"))
    return roots;
  return true;
}

client_capabilities read_capabilities(std::string_view initialize) {
  auto has = [&](std::string_view name) {
    return find_member(initialize, {"params", "capabilities", name}).has_value();
  };
  return {has("sampling"), has("elicitation"), has("roots")};
}

std::optional<rejection> refuse_initialize(const message& initialize) {
  if (initialize.text.size() > longest_initialize)
    return bad_initialize("it has more than " + std::to_string(longest_initialize) + " bytes", initialize);
  if (auto fault = fault_in(initialize.text, of_request, {}); !fault.empty())
    return bad_initialize(std::move(fault), initialize);
  return std::nullopt;
}

} // namespace troupe::protocol
