#pragma once

#include "protocol/access/principal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Longest value of what is known of a caller that a server is told, in bytes.
inline constexpr std::size_t longest_told_claim = 4096;

/// Why a server cannot be told what it is to be told of a caller, in one line for the client.
struct untold {
  std::string why;
  friend bool operator==(const untold&, const untold&) = default;
};

/// Where a server reads what it is told. Many receivers of header fields take a comma or a semicolon for the end of a
/// value, and a quote for its beginning (RFC 9110, 5.5 and 5.6).
enum class told_in { header, variable };

/// What is known of a caller under a name: `subject`, `issuer`, `client`, `scopes` and `groups` (with commas between
/// them), or else a claim of its token that is a text, a whole number or a boolean. It fits into a line: a header or a
/// variable cannot be ended by it, and nothing of it is lost where blanks around a value do not count. In a header it
/// is one value, but for the commas of a list.
std::variant<std::string, untold> told_of(const caller& who, std::string_view name, told_in where);

/// A text of the configuration, in which each `${principal.NAME}` becomes what is known of the caller.
std::variant<std::string, untold> text_for(std::string_view text, const caller& who, told_in where);

/// Names and such texts.
using named_texts = std::vector<std::pair<std::string, std::string>>;
std::variant<named_texts, untold> texts_for(named_texts texts, const caller& who, told_in where);
/// Whether one of them depends on who asks.
bool depend_on_caller(const named_texts& texts);

} // namespace troupe::protocol
