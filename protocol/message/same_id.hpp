#pragma once

#include <array>
#include <compare>
#include <string_view>

namespace troupe::protocol {

/// Normal form of an id or progress token: `1`, `1.0` and `1e0` are one number (RFC 8259, 6), because some JSON
/// libraries do not distinguish them. Numbers beyond 2^53 are distinguished by their texts. A string never equals a
/// number.
class id_key {
public:
  /// `token` must outlive the key.
  explicit id_key(std::string_view token);
  id_key(const id_key&) = delete;
  id_key& operator=(const id_key&) = delete;

  std::string_view text() const { return text_; }

private:
  std::array<char, 20> digits_;
  std::string_view text_;
};

std::strong_ordering compare_ids(std::string_view a, std::string_view b);

inline bool same_id(std::string_view a, std::string_view b) { return std::is_eq(compare_ids(a, b)); }

/// Order of ids in tables.
struct id_less {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return std::is_lt(compare_ids(a, b)); }
};

} // namespace troupe::protocol
