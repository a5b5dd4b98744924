#pragma once

#include <optional>
#include <string_view>

namespace troupe::protocol {

/// Severity of a server's log message (2025-11-25, logging, "Log Levels"; levels of RFC 5424).
enum class severity { debug, info, notice, warning, error, critical, alert, emergency };

std::optional<severity> read_severity(std::string_view name);
std::string_view name_of(severity level);

} // namespace troupe::protocol
