#pragma once

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// How much a server's log message matters (2025-11-25, logging, "Log Levels"; those of RFC 5424).
enum class severity { debug, info, notice, warning, error, critical, alert, emergency };

std::optional<severity> read_severity(std::string_view name);
std::string_view name_of(severity level);

} // namespace troupe::protocol
