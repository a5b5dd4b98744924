#pragma once

#include "protocol/options/cluster_rules.hpp"

namespace troupe::deploy {

// What flags and files call the options of a cluster.

inline constexpr protocol::cluster_words cluster_flags = {
    "--node",         "--cluster-listen",   "--cluster-advertise", "--join",          "--cluster-key",
    "--cluster-cert", "--cluster-cert-key", "--cluster-ca",        "--cluster-plain", "--heartbeat",
    "--store"};
inline constexpr protocol::cluster_words cluster_keys = {
    "gateway.cluster.node",    "gateway.cluster.listen",    "gateway.cluster.advertise", "gateway.cluster.join",
    "gateway.cluster.keyFile", "gateway.cluster.tls.cert",  "gateway.cluster.tls.key",   "gateway.cluster.tls.ca",
    "gateway.cluster.plain",   "gateway.cluster.heartbeat", "gateway.cluster.store"};

} // namespace troupe::deploy
