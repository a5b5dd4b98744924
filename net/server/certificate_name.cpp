#include "net/server/certificate_name.hpp"

#include <algorithm>
#include <memory>
#include <openssl/x509v3.h>

namespace troupe::net {

namespace {

std::string utf8_of(const ASN1_STRING* from) {
  unsigned char* text = nullptr;
  const auto size = ASN1_STRING_to_UTF8(&text, from);
  if (size < 0)
    return {};
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owned{text, [](auto* one) { OPENSSL_free(one); }};
  std::string result{reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
  auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return std::any_of(result.begin(), result.end(), is_control) ? std::string{} : result;
}

bool is_name(const GENERAL_NAME& one) { return one.type == GEN_DNS || one.type == GEN_URI || one.type == GEN_EMAIL; }

/// Null when there is none.
const GENERAL_NAME* first_name(const GENERAL_NAMES* among) {
  for (auto i = 0; i < sk_GENERAL_NAME_num(among); ++i)
    if (auto* one = sk_GENERAL_NAME_value(among, i); is_name(*one))
      return one;
  return nullptr;
}

std::string common_name(const X509* of) {
  auto* subject = X509_get_subject_name(of);
  auto found = -1;
  for (auto next = X509_NAME_get_index_by_NID(subject, NID_commonName, found); next >= 0;
       next = X509_NAME_get_index_by_NID(subject, NID_commonName, found))
    found = next;
  return found < 0 ? std::string{} : utf8_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, found)));
}

} // namespace

std::string certificate_name(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free};
  const auto* name = names ? first_name(names.get()) : nullptr;
  // All three kinds are the same kind of text.
  return name ? utf8_of(name->d.ia5) : common_name(certificate);
}

} // namespace troupe::net
