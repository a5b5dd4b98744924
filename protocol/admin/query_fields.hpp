#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// The fields of a query such as `after=7&limit=50&idle=true`, each of which is taken once by whoever knows it. What is
/// wrong is told at the end, by `fault`.
class query_fields {
public:
  explicit query_fields(std::string_view query);

  /// Nothing when it is not there.
  std::optional<std::string> take(std::string_view name);
  std::uint64_t take_number(std::string_view name, std::uint64_t otherwise);
  /// From 1 to `most`.
  std::size_t take_size(std::string_view name, std::size_t otherwise, std::size_t most);
  /// `true` or `false`.
  std::optional<bool> take_choice(std::string_view name);

  /// What is wrong with the query, in one line: something taken that cannot be read, or something that nobody took.
  std::optional<std::string> fault() const;

private:
  void complain(std::string what);

  std::vector<std::pair<std::string, std::string>> all_;
  /// The first complaint.
  std::optional<std::string> fault_;
};

} // namespace troupe::protocol
