#pragma once

#include "protocol/http/http.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The header fields of a request that the rules ask for, found in one pass. The views are those of the request.
struct known_fields {
  /// Proxies and servers disagree on which of several equal fields counts.
  struct field {
    std::size_t count = 0;
    /// The first, without the white space around it; empty when there is none.
    std::string_view value = {};

    /// Notes one more.
    void note(std::string_view one);
  };

  explicit known_fields(const std::vector<http_field>& fields);

  field origin;
  field host;
  field content_type;
  field session;
  field version;
  /// What all `Accept` fields together list.
  bool accepts_json = false;
  bool accepts_events = false;
  /// A `Sec-Fetch-Site` says that a page of another site sent this. Values that are not known pass, as it wants (Fetch
  /// Metadata).
  bool of_another_site = false;

private:
  void note(const http_field& one);
};

} // namespace troupe::protocol
