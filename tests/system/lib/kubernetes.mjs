// Validates manifests with the schemas of Kubernetes, of the Prometheus operator and of the Gateway API.
import * as gateways from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';

const groups = {
  'v1': core,
  'apps/v1': apps,
  'policy/v1': policy,
  'networking.k8s.io/v1': networking,
  'gateway.networking.k8s.io/v1': gateways,
  'monitoring.coreos.com/v1': monitoring,
};

// The schemas accept unknown fields, like Kubernetes itself. This proxy records the fields that a validator reads,
// which are the known ones.
function watched(value, path, unread) {
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Object.keys(value)) unread.add(`${path}/${key}`);
  const seen = new Map(Object.entries(value).map(([key, one]) => [key, watched(one, `${path}/${key}`, unread)]));
  return new Proxy(value, {
    get(target, key) {
      unread.delete(`${path}/${String(key)}`);
      return seen.get(key) ?? Reflect.get(target, key);
    },
  });
}

// The errors of a manifest, as lines.
export function problemsOf(manifest) {
  const Model = groups[manifest.apiVersion]?.[manifest.kind];
  if (!Model) return [`${manifest.apiVersion} has no ${manifest.kind}`];
  const unread = new Set();
  try {
    Model.prototype.validate.call(watched(manifest, '', unread));
  } catch (error) {
    return error.message.split('\n');
  }
  return [...unread].map((path) => `${path}: no such field`);
}
