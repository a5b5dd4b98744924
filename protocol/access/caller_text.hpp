#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Longest attribute of a caller that is passed to a server, in bytes.
inline constexpr std::size_t longest_told_claim = 4096;

/// Reason why an attribute of the caller cannot be passed to a server, in one line for the client.
struct unavailable_attribute {
  std::string why;
  friend bool operator==(const unavailable_attribute&, const unavailable_attribute&) = default;
};

/// Place where a server reads a caller's attributes. Many receivers of header fields treat a comma or a semicolon as
/// the end of a value, and a quote as its beginning (RFC 9110, 5.5 and 5.6).
enum class attribute_target { header, variable };

/// Returns a caller's attribute: `subject`, `issuer`, `client`, or the comma-separated `scopes` or `groups`. Any other
/// name is a claim of its token that is a string, an integer or a boolean. The value fits on one line: it cannot end a
/// header or a variable, and has no blanks around it that a reader may drop. In a header it is one value, except for
/// commas of a list.
std::variant<std::string, unavailable_attribute> attribute_of(const caller& who, std::string_view name,
                                                              attribute_target where);

/// Replaces each `${principal.NAME}` in a text of the configuration by that attribute of the caller.
std::variant<std::string, unavailable_attribute> text_for(std::string_view text, const caller& who,
                                                          attribute_target where);

/// Pairs of a name and a text of the configuration.
using named_texts = std::vector<std::pair<std::string, std::string>>;
std::variant<named_texts, unavailable_attribute> texts_for(named_texts texts, const caller& who,
                                                           attribute_target where);
/// True if any of the texts depends on the caller.
bool depend_on_caller(const named_texts& texts);

} // namespace troupe::protocol
