#pragma once

#include "protocol/options/cluster_rules.hpp"

namespace troupe::deploy {

// The names of the options of a cluster, in flags and in files.

inline constexpr protocol::cluster_option_names cluster_flags = {
    "--node",         "--cluster-listen",   "--cluster-advertise",  "--join",          "--cluster-key",
    "--cluster-cert", "--cluster-cert-key", "--cluster-ca",         "--cluster-plain", "--heartbeat",
    "--store",        "--store-ca",         "--restores-per-second"};
inline constexpr protocol::cluster_option_names cluster_keys = {"gateway.cluster.node",
                                                                "gateway.cluster.listen",
                                                                "gateway.cluster.advertise",
                                                                "gateway.cluster.join",
                                                                "gateway.cluster.keyFile",
                                                                "gateway.cluster.tls.cert",
                                                                "gateway.cluster.tls.key",
                                                                "gateway.cluster.tls.ca",
                                                                "gateway.cluster.plain",
                                                                "gateway.cluster.heartbeat",
                                                                "gateway.cluster.store",
                                                                "gateway.cluster.storeCa",
                                                                "gateway.cluster.restoresPerSecond"};

} // namespace troupe::deploy
