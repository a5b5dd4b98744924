#include "net/server/connection_tls.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <openssl/x509v3.h>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::certificate_name_test {

using troupe::net::certificate_name;

namespace {

/// The name in a certificate with these common names and alternative names, each with its kind and text.
std::string name_of(const std::vector<std::string>& common, const std::vector<std::pair<int, std::string>>& names) {
  std::unique_ptr<X509, decltype(&X509_free)> one{X509_new(), X509_free};
  for (auto& name : common)
    X509_NAME_add_entry_by_txt(X509_get_subject_name(one.get()), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()), -1,
                               0);
  std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> all{GENERAL_NAMES_new(), GENERAL_NAMES_free};
  for (auto& [kind, text] : names) {
    auto* value = kind == GEN_IPADD ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();
    ASN1_STRING_set(value, text.data(), static_cast<int>(text.size()));
    auto* name = GENERAL_NAME_new();
    GENERAL_NAME_set0_value(name, kind, value);
    sk_GENERAL_NAME_push(all.get(), name);
  }
  if (!names.empty())
    X509_add1_ext_i2d(one.get(), NID_subject_alt_name, all.get(), 0, 0);
  return certificate_name(one.get());
}

} // namespace

TEST(certificate_name, is_the_first_alternative_name_that_is_one) {
  EXPECT_EQ(name_of({"common"}, {{GEN_DNS, "one.example"}, {GEN_URI, "spiffe://two"}}), "one.example");
  EXPECT_EQ(name_of({"common"}, {{GEN_IPADD, "\x7f\x01\x01\x01"}, {GEN_URI, "spiffe://two"}}), "spiffe://two");
  EXPECT_EQ(name_of({}, {{GEN_EMAIL, "three@example.org"}, {GEN_DNS, "one.example"}}), "three@example.org");
}

TEST(certificate_name, is_the_last_common_name_without_any_of_those) {
  EXPECT_EQ(name_of({"common"}, {}), "common");
  EXPECT_EQ(name_of({"one", "two"}, {{GEN_IPADD, "\x7f\x01\x01\x01"}}), "two");
  EXPECT_EQ(name_of({"J\xc3\xb6rg R\xc3\xb6\xc3\x9f"}, {}), "J\xc3\xb6rg R\xc3\xb6\xc3\x9f");
}

TEST(certificate_name, is_empty_when_there_is_none) { EXPECT_EQ(name_of({}, {}), ""); }

TEST(certificate_name, is_empty_when_it_could_be_taken_for_another) {
  using namespace std::string_literals;
  EXPECT_EQ(name_of({"common"}, {{GEN_DNS, "good.example\0.evil.example"s}}), "");
  EXPECT_EQ(name_of({"common"}, {{GEN_URI, "good\r\nbad"}, {GEN_DNS, "one.example"}}), "");
  EXPECT_EQ(name_of({"common\x7f"}, {}), "");
}

} // namespace troupe::tests::certificate_name_test
