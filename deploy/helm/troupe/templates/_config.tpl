{{- /* The section `gateway` of the configuration file, as JSON: what values make of it, and over that config.gateway. */ -}}
{{- define "troupe.gateway" -}}
{{- $values := .Values }}
{{- $name := include "troupe.fullname" . }}
{{- $all := $values.ipv6 | ternary "[::]" "0.0.0.0" }}
{{- $gateway := dict "host" ($values.ipv6 | ternary "::" "0.0.0.0") "grace" $values.grace "log" (dict "format" "json") }}
{{- $auth := dict }}
{{- with $values.auth }}
{{- if .allowAnonymous }}{{ $_ := set $auth "allowAnonymous" true }}{{ end }}
{{- if .keys.secret }}{{ $_ := set $auth "keys" "/etc/troupe/secrets/keys" }}{{ end }}
{{- if .issuer }}{{ $_ := set $auth "issuer" .issuer }}{{ end }}
{{- if .issuerCa.secret }}{{ $_ := set $auth "caFile" "/etc/troupe/secrets/issuer-ca.crt" }}{{ end }}
{{- if .audience }}{{ $_ := set $auth "audience" .audience }}{{ end }}
{{- if .scopes }}{{ $_ := set $auth "scopes" .scopes }}{{ end }}
{{- if .url }}{{ $_ := set $auth "url" .url }}{{ end }}
{{- end }}
{{- if $auth }}{{ $_ := set $gateway "auth" $auth }}{{ end }}
{{- if $values.tls.secret }}
{{- $tls := dict "cert" "/etc/troupe/client-tls/tls.crt" "key" "/etc/troupe/client-tls/tls.key" }}
{{- if $values.tls.clientCa.secret }}{{ $_ := set $tls "clientCa" "/etc/troupe/client-tls/client-ca.crt" }}{{ end }}
{{- if $values.tls.clientCrl.secret }}{{ $_ := set $tls "clientCrl" "/etc/troupe/client-tls/client-crl.pem" }}{{ end }}
{{- $_ := set $gateway "tls" $tls }}
{{- end }}
{{- if $values.cluster.enabled }}
{{- $cluster := dict "node" "${POD_NAME}" "keyFile" "/etc/troupe/secrets/cluster-key" }}
{{- $_ := set $cluster "listen" (printf "%s:7946" $all) }}
{{- $_ := set $cluster "advertise" ($values.ipv6 | ternary "[${POD_IP}]:7946" "${POD_IP}:7946") }}
{{- $_ := set $cluster "join" (printf "%s-nodes:7946" $name) }}
{{- if $values.cluster.tls.secret }}
{{- $folder := "/etc/troupe/tls" }}
{{- $_ := set $cluster "tls" (dict "cert" (print $folder "/tls.crt") "key" (print $folder "/tls.key") "ca" (print $folder "/ca.crt")) }}
{{- end }}
{{- if $values.cluster.plain }}{{ $_ := set $cluster "plain" true }}{{ end }}
{{- if $values.cluster.heartbeat }}{{ $_ := set $cluster "heartbeat" $values.cluster.heartbeat }}{{ end }}
{{- if $values.store.url.secret }}{{ $_ := set $cluster "store" "${STORE}" }}{{ end }}
{{- if $values.store.ca.secret }}{{ $_ := set $cluster "storeCa" "/etc/troupe/secrets/store-ca.crt" }}{{ end }}
{{- $_ := set $gateway "cluster" $cluster }}
{{- end }}
{{- if $values.admin.enabled }}
{{- $_ := set $gateway "admin" (dict "listen" (printf "%s:9464" $all) "tokenFile" "/etc/troupe/secrets/admin-token") }}
{{- end }}
{{- mustMergeOverwrite $gateway (deepCopy ($values.config.gateway | default dict)) | toRawJson }}
{{- end }}

{{- /* The sources of the volume of secrets: those that values name. */ -}}
{{- define "troupe.secrets" -}}
{{- $values := .Values }}
{{- $files := list }}
{{- if $values.cluster.enabled }}{{ $files = append $files (list "cluster-key" $values.cluster.key) }}{{ end }}
{{- $files = append $files (list "keys" $values.auth.keys) }}
{{- $files = append $files (list "issuer-ca.crt" $values.auth.issuerCa) }}
{{- if $values.cluster.enabled }}{{ $files = append $files (list "store-ca.crt" $values.store.ca) }}{{ end }}
{{- if $values.admin.enabled }}{{ $files = append $files (list "admin-token" $values.admin.token) }}{{ end }}
{{- range $files }}
{{- $from := last . }}
{{- if $from.secret }}
- secret: {name: {{ $from.secret }}, items: [{key: {{ $from.key | quote }}, path: {{ first . }}}]}
{{- end }}
{{- end }}
{{- end }}

{{- /* What a probe asks. Where certificates are the only way in, it gets as far as the port. */ -}}
{{- define "troupe.probe" -}}
{{- $gateway := include "troupe.gateway" .root | fromJson }}
{{- $tls := $gateway.tls | default dict }}
{{- $auth := $gateway.auth | default dict }}
{{- if and $tls.clientCa (not (or $auth.keys $auth.issuer $auth.allowAnonymous)) -}}
tcpSocket: {port: mcp}
{{- else -}}
httpGet: {path: {{ .path }}, port: mcp{{ if $tls }}, scheme: HTTPS{{ end }}}
{{- end }}
{{- end }}

{{- /* What cannot be meant. */ -}}
{{- define "troupe.checked" -}}
{{- $grace := include "troupe.gateway" . | fromJson | dig "grace" "" | toString }}
{{- if regexMatch "^[0-9]+(s|m)?$" $grace }}
{{- $seconds := mul (regexFind "^[0-9]+" $grace | int) (hasSuffix "m" $grace | ternary 60 1) }}
{{- $needed := add $seconds .Values.preStopSeconds 4 }}
{{- if ge $needed (int64 .Values.terminationGracePeriodSeconds) }}
{{- fail (printf "terminationGracePeriodSeconds has to be more than %d: preStopSeconds, grace and the stopping of servers" $needed) }}
{{- end }}
{{- end }}
{{- if and (not .Values.cluster.enabled) (gt (int .Values.replicas) 1) }}
{{- fail "cluster.enabled is false: replicas has to be 1" }}
{{- end }}
{{- if and .Values.cluster.enabled (not .Values.cluster.tls.secret) (not .Values.cluster.plain) }}
{{- fail "cluster.tls.secret is missing: nodes need certificates, or cluster.plain" }}
{{- end }}
{{- if and .Values.tls.clientCa.secret (not .Values.tls.secret) }}
{{- fail "tls.clientCa needs tls.secret" }}
{{- end }}
{{- if and .Values.tls.clientCrl.secret (not .Values.tls.clientCa.secret) }}
{{- fail "tls.clientCrl needs tls.clientCa" }}
{{- end }}
{{- if and .Values.drainRate (not .Values.admin.enabled) }}
{{- fail "drainRate needs admin.enabled" }}
{{- end }}
{{- if and (or .Values.metrics.monitor .Values.metrics.rules) (not .Values.admin.enabled) }}
{{- fail "metrics needs admin.enabled" }}
{{- end }}
{{- end }}
