#include "net/server/server_tls.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace troupe::net {

namespace {

using pem_reader = std::unique_ptr<BIO, decltype(&BIO_free)>;
using owned_certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using owned_revocations = std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)>;
using verification = std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)>;

/// Protocols for ALPN: each name after its length (RFC 7301, 3.1).
constexpr std::string_view spoken = "\x08http/1.1";

int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  auto* chosen = const_cast<unsigned char**>(out);
  const auto* ours = reinterpret_cast<const unsigned char*>(spoken.data());
  const auto found = SSL_select_next_proto(chosen, size, ours, spoken.size(), offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Gives no password: OpenSSL itself would ask for it at the terminal.
int have_no_password(char*, int, int, void*) { return -1; }

[[noreturn]] void refuse_text(const std::string& what, const pem_text& from) {
  const auto* why = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  throw std::runtime_error("cannot use the " + what + " in '" + from.file + "'" + (why ? ": " : "") + (why ? why : ""));
}

pem_reader reader_of(const pem_text& from) {
  pem_reader result{BIO_new_mem_buf(from.text.data(), static_cast<int>(from.text.size())), BIO_free};
  if (!result)
    throw std::bad_alloc{};
  ERR_clear_error();
  return result;
}

owned_certificate read_next(BIO* from, const owned_certificate&) {
  return {PEM_read_bio_X509(from, nullptr, have_no_password, nullptr), X509_free};
}
owned_revocations read_next(BIO* from, const owned_revocations&) {
  return {PEM_read_bio_X509_CRL(from, nullptr, have_no_password, nullptr), X509_CRL_free};
}

/// Passes each object of a kind in a text to `use`, which returns whether it can be used. There must be at least one,
/// and nothing that only begins like one.
template <class Owned, class Use>
void for_each_in(const std::string& what, const pem_text& from, Use use) {
  const auto reader = reader_of(from);
  for (bool is_first = true;; is_first = false) {
    const auto one = read_next(reader.get(), Owned{nullptr, nullptr});
    const auto is_end = !one && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (is_end && !is_first)
      return ERR_clear_error();
    if (!one || !use(one.get(), is_first))
      refuse_text(what, from);
  }
}

void show_certificates(SSL_CTX* to, const pem_text& from) {
  for_each_in<owned_certificate>("certificate", from, [to](X509* one, bool is_first) {
    return is_first ? SSL_CTX_use_certificate(to, one) == 1 : SSL_CTX_add1_chain_cert(to, one) == 1;
  });
}

void use_private_key(SSL_CTX* to, const server_tls_texts& from) {
  const auto reader = reader_of(from.private_key);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
      PEM_read_bio_PrivateKey(reader.get(), nullptr, have_no_password, nullptr), EVP_PKEY_free};
  if (!key)
    refuse_text("private key", from.private_key);
  const auto fits = X509_check_private_key(SSL_CTX_get0_certificate(to), key.get()) == 1;
  ERR_clear_error();
  if (!fits)
    throw std::runtime_error("the private key in '" + from.private_key.file + "' is not that of the certificate in '" +
                             from.certificates.file + "'");
  if (SSL_CTX_use_PrivateKey(to, key.get()) != 1)
    refuse_text("private key", from.private_key);
}

/// Asks clients for certificates. No session is resumed: each connection shows a certificate that is valid today.
void ask_for_certificate(SSL_CTX* with, const server_tls_texts& from) {
  for_each_in<owned_certificate>("client authority", from.client_authorities, [with](X509* one, bool) {
    return X509_STORE_add_cert(SSL_CTX_get_cert_store(with), one) == 1 && SSL_CTX_add_client_CA(with, one) == 1;
  });
  SSL_CTX_set_verify(with, SSL_VERIFY_PEER | (from.is_certificate_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  SSL_CTX_set_options(with, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(with, 0);
}

/// Requires a current list of revoked certificates from each authority that leads to a client's certificate. Without
/// one the certificate is not trusted, as an expired list says nothing.
void look_at_revocations(SSL_CTX* with, const pem_text& from) {
  auto* store = SSL_CTX_get_cert_store(with);
  for_each_in<owned_revocations>("list of revoked certificates", from,
                                 [store](X509_CRL* one, bool) { return X509_STORE_add_crl(store, one) == 1; });
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
}

/// Sets up a server. Clients keep the sessions, in tickets. Records hold memory only while they are on their way. One
/// system call reads a record and the bytes behind it.
void set_up_server(SSL_CTX* with) {
  SSL_CTX_set_min_proto_version(with, TLS1_2_VERSION);
  SSL_CTX_set_options(with, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(with,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(with, 1);
  SSL_CTX_set_session_cache_mode(with, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(with, choose_protocol, nullptr);
}

/// Reads all files before it reports one that cannot be read, so that each change is reported once.
std::vector<pem_text> read_pem_files(std::vector<watched_file>& files) {
  std::vector<pem_text> result;
  std::string why_not;
  for (auto& one : files) {
    auto news = one.look();
    if (why_not.empty())
      why_not = news->why_not;
    result.push_back({one.path(), std::move(news->text)});
  }
  if (!why_not.empty())
    throw std::runtime_error(why_not);
  return result;
}

} // namespace

server_tls_context make_server_tls_context(const server_tls_texts& from) {
  server_tls_context result{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
  if (!result)
    throw std::bad_alloc{};
  set_up_server(result.get());
  show_certificates(result.get(), from.certificates);
  use_private_key(result.get(), from);
  if (!from.client_authorities.file.empty())
    ask_for_certificate(result.get(), from);
  if (!from.client_revocations.file.empty())
    look_at_revocations(result.get(), from.client_revocations);
  return result;
}

std::optional<std::chrono::sys_seconds> seconds_of(const ASN1_TIME* time) {
  std::tm when{};
  if (!time || ASN1_TIME_to_tm(time, &when) != 1)
    return std::nullopt;
  return std::chrono::sys_seconds{std::chrono::seconds{::timegm(&when)}};
}

/// Of several lists of one authority the one that lasts longest counts, as in OpenSSL.
std::optional<std::chrono::sys_seconds> end_of_revocations(const pem_text& from) {
  std::map<unsigned long, std::chrono::sys_seconds> by_authority;
  for_each_in<owned_revocations>("list of revoked certificates", from, [&](X509_CRL* one, bool) {
    const auto until = seconds_of(X509_CRL_get0_nextUpdate(one)).value_or(std::chrono::sys_seconds::max());
    auto& last = by_authority.try_emplace(X509_NAME_hash_ex(X509_CRL_get_issuer(one), nullptr, nullptr, nullptr), until)
                     .first->second;
    last = std::max(last, until);
    return true;
  });
  auto result = std::chrono::sys_seconds::max();
  for (const auto& [authority, until] : by_authority)
    result = std::min(result, until);
  return result == std::chrono::sys_seconds::max() ? std::nullopt : std::optional{result};
}

/// Verifies as OpenSSL does in a handshake.
bool is_client_believed(const SSL* client, SSL_CTX* by) {
  auto* shown = SSL_get0_peer_certificate(client);
  if (!shown)
    return true;
  const verification asked{X509_STORE_CTX_new(), X509_STORE_CTX_free};
  if (!asked ||
      X509_STORE_CTX_init(asked.get(), SSL_CTX_get_cert_store(by), shown, SSL_get_peer_cert_chain(client)) != 1)
    return false;
  X509_STORE_CTX_set_default(asked.get(), "ssl_client");
  auto* rules = X509_STORE_CTX_get0_param(asked.get());
  X509_VERIFY_PARAM_set_auth_level(rules, SSL_get_security_level(client));
  const auto is_good = X509_VERIFY_PARAM_set1(rules, SSL_CTX_get0_param(by)) == 1 && X509_verify_cert(asked.get()) == 1;
  ERR_clear_error();
  return is_good;
}

server_tls::server_tls(server_tls_files files, on_change tell, std::chrono::milliseconds pause, on_expiry tell_expired)
    : files_{std::move(files)}, tell_{std::move(tell)},
      tell_expired_{std::move(tell_expired)}, pause_{pause}, look_at_{io_thread::clock::now() + pause} {
  read();
}

bool server_tls::has_news(io_thread::clock::time_point now) {
  if (now >= look_at_) {
    look_at_ = now + pause_;
    look();
    tell_of_expiry();
  }
  return std::exchange(is_new_, false);
}

void server_tls::tell_of_expiry() {
  if (is_expiry_told_ || !revocations_expire_ || std::chrono::system_clock::now() < *revocations_expire_)
    return;
  is_expiry_told_ = true;
  if (tell_expired_)
    tell_expired_(files_.client_crl);
}

/// Files may be replaced one after the other: if they do not fit together, the next change reads them again.
void server_tls::look() {
  if (!has_changed())
    return;
  std::string why_not;
  try {
    read();
    is_new_ = true;
  } catch (const std::runtime_error& error) {
    why_not = error.what();
  }
  if (tell_)
    tell_(why_not);
}

/// Checks each of the files, so that one change is reported once, and not three times.
bool server_tls::has_changed() {
  bool result = false;
  for (auto& one : read_files_)
    result = one.look().has_value() || result;
  return result;
}

void server_tls::read() {
  read_files_.clear();
  read_files_.emplace_back(files_.certificate, longest_file);
  read_files_.emplace_back(files_.private_key, longest_file);
  for (auto* one : {&files_.client_ca, &files_.client_crl})
    if (!one->empty())
      read_files_.emplace_back(*one, longest_file);
  auto texts = read_pem_files(read_files_);
  server_tls_texts from{std::move(texts[0]), std::move(texts[1]), {}, files_.is_certificate_required};
  if (!files_.client_ca.empty())
    from.client_authorities = std::move(texts[2]);
  if (!files_.client_crl.empty())
    from.client_revocations = std::move(texts.back());
  context_ = make_server_tls_context(from);
  expires_ = expiry_of(SSL_CTX_get0_certificate(context_.get()));
  revocations_expire_ = files_.client_crl.empty() ? std::nullopt : end_of_revocations(from.client_revocations);
  is_expiry_told_ = false;
}

server_tls::time_point expiry_of(const X509* certificate) {
  return seconds_of(X509_get0_notAfter(certificate)).value_or(server_tls::time_point{});
}

} // namespace troupe::net
