#pragma once

#include <openssl/types.h>
#include <string>

namespace troupe::net {

/// Whom a certificate is for: its first subjectAltName that is a DNS name, a URI or an e-mail address; without any of
/// those its common name, of several the last and so most specific one. Empty when there is none, or when it has
/// characters that no name has: control characters could make it look like another.
std::string certificate_name(const X509* certificate);

} // namespace troupe::net
