#include "net/node/node_link_tls.hpp"

#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace troupe::net {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

/// Sets a context up. A link lives long and is never resumed, so there are no tickets.
void set_up(ssl::context& made) {
  made.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  SSL_CTX_set_min_proto_version(made.native_handle(), TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(made.native_handle(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(made.native_handle(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(made.native_handle(), 0);
}

template <class Read>
void read(const std::string& what, const std::string& file, Read how) {
  error_code error;
  how(file, error);
  if (error)
    throw std::runtime_error("cannot use the " + what + " in '" + file + "': " + error.message());
}

/// Returns OpenSSL's verdict on our own certificate, used for a purpose, or for none (0).
int verdict_of(SSL_CTX* of, int purpose) {
  std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(), X509_STORE_CTX_free};
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(of, &chain);
  if (!check || X509_STORE_CTX_init(check.get(), SSL_CTX_get_cert_store(of), SSL_CTX_get0_certificate(of), chain) != 1)
    return X509_V_ERR_UNSPECIFIED;
  if (purpose != 0)
    X509_STORE_CTX_set_purpose(check.get(), purpose);
  return X509_verify_cert(check.get()) == 1 ? X509_V_OK : X509_STORE_CTX_get_error(check.get());
}

/// Checks one use of our certificate: a node is a client of nodes that it calls, and a server to its callers.
void check_use(SSL_CTX* of, const std::string& file, int purpose, const std::string& use) {
  if (auto verdict = verdict_of(of, purpose); verdict != X509_V_OK)
    throw std::runtime_error("the certificate in '" + file + "' is not for " + use +
                             ", and a node needs both: " + X509_verify_cert_error_string(verdict));
}

/// Requires that our own authority vouches for our certificate: otherwise no other node would accept it.
void check_own_certificate(SSL_CTX* of, const node_link_files& files) {
  if (auto verdict = verdict_of(of, 0); verdict != X509_V_OK)
    throw std::runtime_error("the certificates in '" + files.ca_file + "' do not vouch for that in '" +
                             files.certificate + "': " + X509_verify_cert_error_string(verdict));
  check_use(of, files.certificate, X509_PURPOSE_SSL_SERVER, "TLS servers (serverAuth)");
  check_use(of, files.certificate, X509_PURPOSE_SSL_CLIENT, "TLS clients (clientAuth)");
}

// -- without certificates --------------------------------------------------------------------

constexpr std::string_view identity = "troupe-node";
constexpr std::array<unsigned char, 2> aes_128_gcm_sha256{0x13, 0x01}; // RFC 8446, B.4

struct tls_key {
  std::string name;
  std::string secret;
};
using tls_keys = std::vector<tls_key>;

tls_keys keys_for_tls(const std::vector<std::string>& keys) {
  tls_keys result;
  for (const auto& key : keys)
    result.push_back({protocol::hex(keyed_digest(key, "name")), protocol::hex(keyed_digest(key, "tls"))});
  return result;
}

void forget_keys(void*, void* keys, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<tls_keys*>(keys); }

/// Returns the index of the keys in a context.
int keys_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, forget_keys);
  return index;
}

/// Returns the keys of a context; null with certificates.
const tls_keys* keys_of(SSL* connection) {
  return static_cast<const tls_keys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), keys_index()));
}

/// Returns the index of the key that the client has named, in a server's connection.
int named_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

/// Returns the server name in the first message of a client (RFC 6066, 3).
std::string_view name_of_server(SSL* server) {
  constexpr std::size_t before = 5; // the length of a list of one, the kind of the name, and its length
  const unsigned char* list = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(server, TLSEXT_TYPE_server_name, &list, &size) != 1 || size < before)
    return {};
  return {reinterpret_cast<const char*>(list) + before, size - before};
}

/// Remembers the named key: OpenSSL needs a key before it has read the server's name by itself.
int note_named_key(SSL* server, int*, void*) {
  const auto& keys = *keys_of(server);
  const auto found = std::ranges::find(keys, name_of_server(server), &tls_key::name);
  if (found != keys.end())
    SSL_set_ex_data(server, named_index(), const_cast<tls_key*>(&*found));
  return SSL_CLIENT_HELLO_SUCCESS;
}

/// Returns the key that the client has named. Otherwise the first is used: nodes with one key at a time name none, and
/// others may name a key that is not ours.
const tls_key& key_named_to(SSL* server) {
  const auto* named = static_cast<const tls_key*>(SSL_get_ex_data(server, named_index()));
  return named ? *named : keys_of(server)->front();
}

/// Makes a session of a key: OpenSSL treats an external key of TLS 1.3 as a resumption. Null when out of memory.
SSL_SESSION* session_of(SSL* connection, const std::string& key) {
  auto made = SSL_SESSION_new();
  auto bytes = reinterpret_cast<const unsigned char*>(key.data());
  auto cipher = SSL_CIPHER_find(connection, aes_128_gcm_sha256.data());
  auto name = reinterpret_cast<const unsigned char*>(identity.data());
  if (made && SSL_SESSION_set1_id_context(made, name, identity.size()) == 1 &&
      SSL_SESSION_set1_master_key(made, bytes, key.size()) == 1 && SSL_SESSION_set_cipher(made, cipher) == 1 &&
      SSL_SESSION_set_protocol_version(made, TLS1_3_VERSION) == 1)
    return made;
  SSL_SESSION_free(made);
  return nullptr;
}

int offer_key(SSL* connection, const EVP_MD*, const unsigned char** id, std::size_t* size, SSL_SESSION** out) {
  *id = reinterpret_cast<const unsigned char*>(identity.data());
  *size = identity.size();
  *out = session_of(connection, keys_of(connection)->front().secret);
  return *out ? 1 : 0;
}

int find_key(SSL* connection, const unsigned char* id, std::size_t size, SSL_SESSION** out) {
  const std::string_view named{reinterpret_cast<const char*>(id), size};
  *out = named == identity ? session_of(connection, key_named_to(connection).secret) : nullptr;
  return 1;
}

/// Returns the reason that OpenSSL found, or the peer's alert gave; 0 when the connection just ended.
int reason_of(const error_code& error) {
  const auto is_tls = error.category() == boost::asio::error::get_ssl_category();
  return is_tls ? ERR_GET_REASON(static_cast<unsigned long>(error.value())) : 0;
}

/// Explains why there is no TLS by the cluster's key; empty for no special reason.
std::string why_not_keyed(SSL* of, int reason) {
  if (SSL_get_verify_result(of) != X509_V_OK)
    return "it shows a certificate, and we have none: only one of the two has the cluster's `tls`";
  if (reason == SSL_R_BINDER_DOES_NOT_VERIFY || reason == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER)
    return "it has another cluster key";
  if (reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE || reason == SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM)
    return "it does not speak TLS by the cluster's key: it may have the cluster's `tls`, which we have not";
  return {};
}

bool is_of_a_stranger(long verdict) {
  return verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY || verdict == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
         verdict == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT || verdict == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
         verdict == X509_V_ERR_CERT_SIGNATURE_FAILURE || verdict == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE;
}

bool has_files(const node_link_files& files) {
  return !files.certificate.empty() || !files.private_key.empty() || !files.ca_file.empty();
}

} // namespace

std::unique_ptr<ssl::context> node_link_tls(const node_link_files& files) {
  auto made = std::make_unique<ssl::context>(ssl::context::tls);
  set_up(*made);
  read("authority", files.ca_file, [&](auto& file, auto& error) { made->load_verify_file(file, error); });
  read("certificate", files.certificate,
       [&](auto& file, auto& error) { made->use_certificate_chain_file(file, error); });
  read("private key", files.private_key,
       [&](auto& file, auto& error) { made->use_private_key_file(file, ssl::context::pem, error); });
  if (SSL_CTX_check_private_key(made->native_handle()) != 1)
    throw std::runtime_error("the private key in '" + files.private_key + "' is not that of the certificate in '" +
                             files.certificate + "'");
  check_own_certificate(made->native_handle(), files);
  return made;
}

std::unique_ptr<ssl::context> node_link_keyed_tls(const std::vector<std::string>& keys) {
  auto made = std::make_unique<ssl::context>(ssl::context::tls);
  set_up(*made);
  auto native = made->native_handle();
  SSL_CTX_set_ciphersuites(native, "TLS_AES_128_GCM_SHA256");
  SSL_CTX_set_session_id_context(native, reinterpret_cast<const unsigned char*>(identity.data()),
                                 static_cast<unsigned>(identity.size()));
  SSL_CTX_set_ex_data(native, keys_index(), new tls_keys{keys_for_tls(keys)});
  SSL_CTX_set_client_hello_cb(native, note_named_key, nullptr);
  SSL_CTX_set_psk_use_session_callback(native, offer_key);
  SSL_CTX_set_psk_find_session_callback(native, find_key);
  return made;
}

/// All keys have one identity, which nodes with one key at a time know, too: they ignore the server's name.
void name_key(SSL* client) {
  if (const auto* keys = keys_of(client))
    SSL_set_tlsext_host_name(client, keys->front().name.c_str());
}

std::string binding_of(SSL* connection) {
  constexpr std::string_view label = "EXPORTER-troupe-node";
  std::string result(32, '\0');
  if (SSL_export_keying_material(connection, reinterpret_cast<unsigned char*>(result.data()), result.size(),
                                 label.data(), label.size(), nullptr, 0, 0) != 1)
    std::abort();
  return result;
}

bool is_like_a_node(const error_code& error) {
  const auto reason = reason_of(error);
  return reason != 0 && reason != SSL_R_HTTP_REQUEST;
}

std::string why_not_tls(SSL* of, const error_code& error) {
  const auto reason = reason_of(error);
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)
    return "it speaks no TLS: it is no node, or one of an older version of Troupe";
  if (auto why = keys_of(of) ? why_not_keyed(of, reason) : ""; !why.empty())
    return why;
  auto verdict = SSL_get_verify_result(of);
  if (verdict == X509_V_OK)
    return "cannot speak TLS with it: " + error.message();
  if (is_of_a_stranger(verdict))
    return "its certificate was not signed by our authority";
  return std::string{"its certificate is not valid: "} + X509_verify_cert_error_string(verdict);
}

node_link_trust::node_link_trust(node_link_files files, const std::vector<std::string>& keys)
    : files_{std::move(files)}, read_at_{changed()}, context_{has_files(files_) ? node_link_tls(files_)
                                                                                : node_link_keyed_tls(keys)} {}

void node_link_trust::use(const std::vector<std::string>& keys) {
  if (!has_files(files_))
    context_ = node_link_keyed_tls(keys);
}

/// Files may be replaced one after the other: if they do not fit together, the next change reads them again.
std::optional<std::string> node_link_trust::look() {
  const auto now = has_files(files_) ? changed() : read_at_;
  if (now == read_at_)
    return std::nullopt;
  read_at_ = now;
  try {
    context_ = node_link_tls(files_);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

node_link_trust::times node_link_trust::changed() const {
  times result;
  std::error_code no_file;
  auto at = result.begin();
  for (auto file : {&files_.certificate, &files_.private_key, &files_.ca_file})
    *at++ = std::filesystem::last_write_time(*file, no_file);
  return result;
}

} // namespace troupe::net
