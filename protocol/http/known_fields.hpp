#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Header fields of a request that the rules need, found in one pass. The views are those of the request.
struct known_fields {
  /// Field with its number of occurrences: proxies and servers disagree on which of several counts.
  struct field {
    std::size_t count = 0;
    /// First value, without the white space around it; empty if there is none.
    std::string_view value = {};

    /// Counts one more.
    void note(std::string_view one);
  };

  explicit known_fields(const std::vector<http_field>& fields);

  field origin;
  field host;
  field content_type;
  field session;
  field version;
  /// Media types that all `Accept` fields together list.
  bool accepts_json = false;
  bool accepts_events = false;
  /// Whether a page of another site sent the request, by `Sec-Fetch-Site`. Unknown values pass, as Fetch Metadata
  /// demands.
  bool of_another_site = false;
  /// Whether a field shows that the request came through a proxy, see `is_mark_of_proxy`.
  bool is_passed_on = false;

private:
  void note(const http_field& one);
};

} // namespace troupe::protocol
