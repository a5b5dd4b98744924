#pragma once

#include "protocol/trace/span.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

// Spans in OTLP's JSON encoding (OpenTelemetry Protocol, "JSON Protobuf Encoding"): ids in hexadecimal digits, numbers
// of 64 bits as strings, enumerations as numbers.

/// One span.
std::string otlp_text(const span& one);

/// What every request to a collector begins with: whose spans they are.
std::string otlp_head(const std::vector<std::pair<std::string, std::string>>& resource, std::string_view version);

/// A whole request, of spans that are written already.
std::string otlp_request(std::string_view head, const std::vector<std::string>& spans);

/// How many of its spans the collector has not taken, as its answer to a request that succeeded says.
std::uint64_t otlp_rejected(std::string_view answer);

} // namespace troupe::protocol
