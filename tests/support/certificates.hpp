#pragma once

#include "tests/support/child.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string>
#include <vector>

namespace troupe::tests {

/// A private key and its signed certificate.
struct identity {
  std::shared_ptr<EVP_PKEY> key;
  std::shared_ptr<X509> certificate;
};

/// The subject of a certificate, and its validity in seconds from now.
struct identity_card {
  /// In the format of OpenSSL: `DNS:name`, `IP:127.0.0.1`.
  std::string subject = "DNS:localhost, IP:127.0.0.1, IP:::1";
  long from = -3600;
  long to = 3600;
  /// `serverAuth`, `clientAuth`; unrestricted when it is empty.
  std::string uses = {};
};

/// Writes the certificate and the key to PEM files.
inline void save(const identity& who, const std::string& certificate, const std::string& key) {
  using file = std::unique_ptr<BIO, decltype(&BIO_free)>;
  PEM_write_bio_X509(file{BIO_new_file(certificate.c_str(), "w"), BIO_free}.get(), who.certificate.get());
  PEM_write_bio_PrivateKey(file{BIO_new_file(key.c_str(), "w"), BIO_free}.get(), who.key.get(), nullptr, nullptr, 0,
                           nullptr, nullptr);
}

/// Signs certificates. Its PEM file is a trust anchor.
class certificate_authority {
public:
  explicit certificate_authority(const std::string& name = "authority") {
    root_ = make({}, "CA:TRUE", nullptr, name);
    std::unique_ptr<BIO, decltype(&BIO_free)> file{BIO_new_file(file_name().c_str(), "w"), BIO_free};
    PEM_write_bio_X509(file.get(), root_.certificate.get());
  }

  std::string file_name() const { return directory_.path("authority.pem"); }
  identity sign(const identity_card& whom = {}) const { return make(whom, "CA:FALSE", &root_); }
  /// Writes a revocation list to a PEM file atomically. The list is valid for so many seconds.
  void revoke(const std::vector<identity>& those, const std::string& file, long until = 3600) const {
    const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> made{X509_CRL_new(), X509_CRL_free};
    const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> from{X509_gmtime_adj(nullptr, -7200), ASN1_TIME_free},
        to{X509_gmtime_adj(nullptr, until), ASN1_TIME_free};
    X509_CRL_set_version(made.get(), X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(made.get(), X509_get_subject_name(root_.certificate.get()));
    X509_CRL_set1_lastUpdate(made.get(), from.get());
    X509_CRL_set1_nextUpdate(made.get(), to.get());
    for (const auto& one : those) {
      auto* entry = X509_REVOKED_new();
      X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(one.certificate.get()));
      X509_REVOKED_set_revocationDate(entry, from.get());
      X509_CRL_add0_revoked(made.get(), entry);
    }
    X509_CRL_sign(made.get(), root_.key.get(), EVP_sha256());
    const auto fresh = file + ".new";
    std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new_file(fresh.c_str(), "w"), BIO_free};
    PEM_write_bio_X509_CRL(out.get(), made.get());
    out.reset();
    std::filesystem::rename(fresh, file);
  }
  /// A certificate that is its own authority.
  static identity self_signed(const identity_card& whom = {}) { return make(whom, "CA:FALSE", nullptr); }

private:
  static void extend(X509* certificate, int what, const std::string& value) {
    std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> made{
        X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str()), X509_EXTENSION_free};
    EXPECT_TRUE(made) << value;
    X509_add_ext(certificate, made.get(), -1);
  }

  static void name(X509* certificate, const std::string& subject, const identity* issuer) {
    auto own = X509_get_subject_name(certificate);
    auto text = reinterpret_cast<const unsigned char*>(subject.c_str());
    X509_NAME_add_entry_by_txt(own, "CN", MBSTRING_UTF8, text, -1, -1, 0);
    X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer->certificate.get()) : own);
  }

  static identity make(const identity_card& whom, const std::string& constraint, const identity* issuer,
                       const std::string& common_name = "server") {
    static long serial = 0;
    identity result{{EVP_EC_gen("P-256"), EVP_PKEY_free}, {X509_new(), X509_free}};
    auto one = result.certificate.get();
    X509_set_version(one, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(one), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(one), whom.from);
    X509_gmtime_adj(X509_getm_notAfter(one), whom.to);
    X509_set_pubkey(one, result.key.get());
    name(one, common_name, issuer);
    extend(one, NID_basic_constraints, "critical," + constraint);
    extend(one, NID_subject_alt_name, whom.subject);
    if (!whom.uses.empty())
      extend(one, NID_ext_key_usage, whom.uses);
    X509_sign(one, issuer ? issuer->key.get() : result.key.get(), EVP_sha256());
    return result;
  }

  scratch directory_;
  identity root_;
};

} // namespace troupe::tests
