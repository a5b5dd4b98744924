#pragma once

namespace troupe::tests {

/// A request as short as HTTP/1.1 allows.
inline constexpr auto plain_get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

} // namespace troupe::tests
