#pragma once

namespace troupe::tests {

/// The shortest valid request of HTTP/1.1.
inline constexpr auto plain_get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

} // namespace troupe::tests
