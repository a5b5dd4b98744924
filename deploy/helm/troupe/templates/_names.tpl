{{- define "troupe.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "troupe.fullname" -}}
{{- $name := include "troupe.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "troupe.selector" -}}
app.kubernetes.io/name: {{ include "troupe.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "troupe.labels" -}}
{{ include "troupe.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "troupe.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion }}
{{- printf "%s:%s%s" .Values.image.repository $tag (empty .Values.image.variant | ternary "" (printf "-%s" .Values.image.variant)) }}
{{- end }}

{{- /* The job of Prometheus, which the alerts take to begin with "troupe". */ -}}
{{- define "troupe.job" -}}
{{- $name := include "troupe.fullname" . }}
{{- hasPrefix "troupe" $name | ternary $name (printf "troupe-%s" $name) }}
{{- end }}

{{- /* The port of the service for clients. */ -}}
{{- define "troupe.port" -}}
{{- .Values.service.port | default (empty .Values.tls.secret | ternary 80 443) }}
{{- end }}
