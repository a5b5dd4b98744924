#include "protocol/message/modern_refusal.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::string_view version_is_refused = "-32022";
constexpr std::string_view method_is_unknown = "-32601";
constexpr std::array<std::string_view, 6> may_be = {version_is_refused, "-32021", "-32020",
                                                    method_is_unknown,  "-32602", "-32600"};

std::string_view error_code_text(const message& answer) {
  return find_member(answer.text, {"error", "code"}).value_or("");
}

} // namespace

bool may_be_modern(const message& answer) { return std::ranges::find(may_be, error_code_text(answer)) != may_be.end(); }

bool is_surely_modern(const message& answer, int status) {
  auto code = error_code_text(answer);
  return names_versions(answer) || code == "-32020" || code == "-32021" || (status == 404 && code == method_is_unknown);
}

bool names_versions(const message& answer) {
  auto supported = find_member(answer.text, {"error", "data", "supported"});
  return error_code_text(answer) == version_is_refused && supported && supported->starts_with('[');
}

} // namespace troupe::protocol
