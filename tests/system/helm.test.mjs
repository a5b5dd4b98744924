// The chart of deploy/helm, rendered with various values; see lib/helm.mjs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test as anyTest } from 'node:test';
import { parse } from 'yaml';
import { readDeployed } from './lib/balancer.mjs';
import { Authority } from './lib/certificates.mjs';
import { Authority as Revoking } from './lib/certified.mjs';
import { checked } from './lib/checked.mjs';
import { documents } from './lib/deployed.mjs';
import { chart, helm, refused, rendered, withoutHelm } from './lib/helm.mjs';
import { problemsOf } from './lib/kubernetes.mjs';
import { scratch } from './lib/scratch.mjs';

const test = (name, body) => anyTest(name, { skip: withoutHelm }, body);
const [, version] = /^project\(troupe VERSION (\S+)/m.exec(readDeployed('../CMakeLists.txt'));
const find = (manifests, kind) => manifests.find((one) => one.kind === kind);
const configOf = (manifests) => find(manifests, 'ConfigMap').data['mcp.json'];
const gatewayOf = (manifests) => JSON.parse(configOf(manifests)).gateway;
const podOf = (manifests) => find(manifests, 'StatefulSet').spec.template.spec;

// Example values of users, and their purpose.
const EXAMPLES = {
  'as it is': {},
  'with servers of npm': {
    'image.variant': 'runtimes',
    'config.mcpServers': { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } },
  },
  'one node': { 'cluster.enabled': false, 'replicas': 1 },
  'without Redis': { 'store.url.secret': '', 'image.tag': '9', 'image.repository': 'registry.example/troupe' },
  'an issuer': {
    'auth.issuer': 'https://issuer.example',
    'auth.issuerCa.secret': 'issuer',
    'auth.audience': ['https://mcp.example'],
    'auth.url': 'https://mcp.example',
    'auth.scopes': ['mcp'],
    'auth.keys.secret': '',
  },
  'TLS, and certificates of clients': {
    'tls.secret': 'web',
    'tls.clientCa.secret': 'people',
    'tls.clientCrl.secret': 'revoked',
    'auth.keys.secret': '',
    'service.type': 'LoadBalancer',
  },
  'TLS of Redis, IPv6 and keys alone between nodes': {
    'ipv6': true,
    'store.ca.secret': 'redis',
    'cluster.tls.secret': '',
    'cluster.plain': true,
    'cluster.heartbeat': '8s',
  },
  'operators': {
    'admin.enabled': true,
    'metrics': { monitor: 'PodMonitor', rules: true, labels: { release: 'prometheus' }, dashboard: { enabled: true } },
  },
  'operators, by the service': { 'admin.enabled': true, 'metrics.monitor': 'ServiceMonitor' },
  'ways in': {
    'ingress': {
      enabled: true,
      className: 'nginx',
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
      hosts: ['mcp.example'],
      tls: [{ secretName: 'web', hosts: ['mcp.example'] }],
    },
    'httpRoute': { enabled: true, parentRefs: [{ name: 'gateway' }], hostnames: ['mcp.example'] },
    'networkPolicy.clients': [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
  },
  'pods of a kind': {
    'extraEnv': [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'github', key: 'token' } } }],
    'extraEnvFrom': [{ secretRef: { name: 'more' } }],
    'extraVolumes': [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    'extraVolumeMounts': [{ name: 'data', mountPath: '/data' }],
    'nodeSelector': { disk: 'ssd' },
    'tolerations': [{ key: 'only', operator: 'Exists' }],
    'affinity': { nodeAffinity: {} },
    'priorityClassName': 'high',
    'podLabels': { team: 'a' },
    'podAnnotations': { note: 'b' },
    'image.pullSecrets': [{ name: 'registry' }],
    'topologySpread': [],
    'disruptionBudget.enabled': false,
    'networkPolicy.enabled': false,
  },
};

const files = { '/etc/troupe/secrets/admin-token': 'a-token-of-enough-characters' };
before(() => {
  const folder = scratch();
  const authority = new Authority(folder, 'ca');
  const { certificate, key } = authority.issue('web');
  const put = (name, file) => (files[`/etc/troupe/${name}`] = readFileSync(file));
  put('client-tls/tls.crt', certificate);
  put('client-tls/tls.key', key);
  for (const name of ['client-tls/client-ca.crt', 'secrets/issuer-ca.crt', 'secrets/store-ca.crt'])
    put(name, authority.certificate);
  put('client-tls/client-crl.pem', new Revoking('people').revoke());
});

// -- other files of the chart ----------------------------------------------------------------------------------------

const withoutComments = (config) => JSON.parse(config.replace(/ \/\/ .*$/gm, ''));

// The effects of manifests, without the pods' names.
function effectsOf(manifests) {
  const labels = JSON.stringify(find(manifests, 'StatefulSet').spec.selector.matchLabels);
  const text = (spec = null) => JSON.stringify(spec).replaceAll(labels, '{"app":"troupe"}');
  const effects = manifests.map(({ kind, metadata: { name }, spec, data }) => ({
    what: `${kind} ${name}`, spec: JSON.parse(text(spec)), config: data && withoutComments(data['mcp.json']),
  }));
  return Object.fromEntries(effects.map(({ what, ...one }) => [what, one]));
}

test('by default the chart does what deploy/kubernetes does', () => {
  const names = ['config', 'services', 'statefulset', 'disruption', 'network'];
  const theirs = effectsOf(names.flatMap((name) => documents(`kubernetes/${name}.yaml`)));
  const ours = effectsOf(rendered());
  const { metadata } = ours['StatefulSet troupe'].spec.template;
  assert.deepEqual(Object.keys(metadata.annotations), ['checksum/gateway']);
  delete metadata.annotations;
  const toClients = ours['Service troupe'].spec;
  assert.equal(toClients.type, 'ClusterIP');
  delete toClients.type;
  // Nodes can reach each other even when nothing else is allowed.
  const [reached] = ours['NetworkPolicy troupe'].spec.egress.splice(1, 1);
  const nodes = { podSelector: { matchLabels: { app: 'troupe' } } };
  assert.deepEqual(reached, { to: [nodes], ports: [{ protocol: 'TCP', port: 'cluster' }] });
  assert.deepEqual(ours, theirs);
});

test('the chart is of this version', () => {
  const { version: ours, appVersion } = parse(readDeployed('helm/troupe/Chart.yaml'));
  assert.deepEqual([ours, appVersion], [version, version]);
});

// -- values ----------------------------------------------------------------------------------------------------------

test('Helm finds nothing wrong with the chart', () => {
  const { status, stdout } = helm('lint', '--strict', chart);
  assert.equal(status, 0, stdout);
  assert.doesNotMatch(stdout, /WARNING|ERROR/);
});

// A pod has each file and each variable that its configuration names.
function assertHas({ containers: [troupe], volumes }, config) {
  for (const [, name] of config.matchAll(/\$\{([A-Z_]+)\}/g))
    assert.ok(troupe.env.some((one) => one.name === name), name);
  for (const [, path] of config.matchAll(/"(\/etc\/[^"]+)"/g)) {
    const mount = troupe.volumeMounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
    const { projected } = volumes.find(({ name }) => name === mount?.name) ?? assert.fail(path);
    const items = projected?.sources.flatMap(({ secret }) => secret.items);
    assert.ok(items?.some((item) => path === `${mount.mountPath}/${item.path}`) ?? true, path);
  }
}

for (const [name, values] of Object.entries(EXAMPLES))
  test(`what it makes of values is known to Kubernetes, and to Troupe: ${name}`, async () => {
    const manifests = rendered(values, 'mcp');
    for (const one of manifests) assert.deepEqual(problemsOf(one), [], `${one.kind} ${one.metadata.name}`);
    assertHas(podOf(manifests), configOf(manifests));
    const ip = values.ipv6 ? 'fd00::1' : '10.0.0.1';
    const variables = { POD_NAME: 'mcp-troupe-0', POD_IP: ip, STORE: 'rediss://:secret@redis' };
    const said = await checked(configOf(manifests), files, variables);
    assert.match(said, /^1 server, no problems$/m);
  });

test('the values that a page shows are good ones', async () => {
  const [, shown] = /^# my-values\.yaml\n(.*?)^```$/ms.exec(readDeployed('doc/deploying.md'));
  const manifests = rendered(parse(shown));
  assert.equal(podOf(manifests).containers[0].image, `registry.example/troupe:${version}-runtimes`);
  assert.deepEqual(Object.keys(JSON.parse(configOf(manifests)).mcpServers), ['everything']);
});

test('values that cannot be meant are refused, with the reason', () => {
  const cases = [
    [{ 'cluster.enabled': false }, /replicas has to be 1/],
    [{ 'cluster.tls.secret': '' }, /nodes need certificates, or cluster\.plain/],
    [{ 'grace': '36s' }, /terminationGracePeriodSeconds has to be more than 45/],
    [{ 'grace': '1m' }, /has to be more than 69/],
    [{ 'config.gateway.grace': '2m' }, /has to be more than 129/],
    [{ 'metrics.rules': true }, /metrics needs admin\.enabled/],
    [{ 'drainRate': '20/s' }, /drainRate needs admin\.enabled/],
    [{ 'drainRate': '0' }, /drainRate/],
    [{ 'tls.clientCa.secret': 'a' }, /tls\.clientCa needs tls\.secret/],
    [{ 'tls.clientCrl.secret': 'a' }, /tls\.clientCrl needs tls\.clientCa/],
    [{ 'ingress.enabled': true }, /ingress.hosts/],
    [{ 'httpRoute.enabled': true }, /httpRoute.parentRefs/],
    [{ 'image.variant': 'node' }, /image.variant/],
    [{ 'replica': 2 }, /replica.* not allowed/],
    [{ 'config.mcpServers': ['a'] }, /config.mcpServers/],
  ];
  for (const [values, reason] of cases) assert.match(refused(values), reason);
  assert.equal(refused({ grace: '35s' }), '');
});

test('sessions leave a pod at a rate by what it does before it stops', () => {
  const before = (values) => podOf(rendered(values)).containers[0].lifecycle.preStop.exec.command;
  assert.deepEqual(before({}), ['sleep', '5']);
  const values = { 'admin.enabled': true, 'drainRate': '90/min', 'preStopSeconds': 7 };
  const place = '--admin http://127.0.0.1:9464 --admin-token-file /etc/troupe/secrets/admin-token';
  assert.deepEqual(before(values), ['sh', '-c', `sleep 7; troupe drain --rate 90/min ${place}`]);
  assert.match(before({ ...values, ipv6: true }).at(-1), /--admin http:\/\/\[::1\]:9464 /);
});

test('what the section gateway has outranks other values, and restarts nodes; servers do not', () => {
  const templateOf = (values) => find(rendered(values), 'StatefulSet').spec.template;
  const sumOf = (values) => templateOf(values).metadata.annotations['checksum/gateway'];
  const own = { log: { level: 'debug' }, cluster: { heartbeat: '9s' } };
  const other = { 'config.gateway': own, 'cluster.heartbeat': '8s' };
  const gateway = gatewayOf(rendered(other));
  assert.deepEqual(gateway.log, { format: 'json', level: 'debug' });
  assert.equal(gateway.cluster.heartbeat, '9s');
  assert.equal(gateway.cluster.node, '${POD_NAME}');
  assert.notEqual(sumOf(other), sumOf({}));
  assert.equal(sumOf({ 'config.mcpServers': { a: { command: 'true' } } }), sumOf({}));
});

test('servers of the values run instead of the example', () => {
  const { mcpServers } = JSON.parse(configOf(rendered({ 'config.mcpServers': { a: { command: 'true' } } })));
  assert.deepEqual(mcpServers, { a: { command: 'true' } });
});

test('probes ask by TLS where there is TLS, and only for the port where they would need a certificate', () => {
  const probe = (values) => podOf(rendered(values)).containers[0].readinessProbe;
  assert.deepEqual(probe({ 'tls.secret': 'a' }).httpGet, { path: '/readyz', port: 'mcp', scheme: 'HTTPS' });
  const certificates = { 'tls.secret': 'a', 'tls.clientCa.secret': 'b' };
  assert.equal(probe(certificates).httpGet.scheme, 'HTTPS');
  assert.deepEqual(probe({ ...certificates, 'auth.keys.secret': '' }).tcpSocket, { port: 'mcp' });
});

test('Prometheus is told of the nodes and of the alerts as they are', () => {
  const metrics = { monitor: 'ServiceMonitor', rules: true, dashboard: { enabled: true } };
  const manifests = rendered({ 'admin.enabled': true, metrics }, 'mcp');
  assert.deepEqual(find(manifests, 'PrometheusRule').spec, parse(readDeployed('prometheus/alerts.yml')));
  const { endpoints: [endpoint], selector } = find(manifests, 'ServiceMonitor').spec;
  assert.deepEqual(endpoint.authorization.credentials, { name: 'troupe-admin', key: 'token' });
  assert.match(endpoint.relabelings.find(({ targetLabel }) => targetLabel === 'job').replacement, /^troupe/);
  const chosen = manifests.filter(({ kind, metadata: { labels } }) =>
    kind === 'Service' && Object.entries(selector.matchLabels).every(([key, value]) => labels[key] === value));
  assert.deepEqual(chosen.map(({ metadata: { name } }) => name), ['mcp-troupe-nodes']);
  assert.ok(chosen[0].spec.ports.some(({ name }) => name === endpoint.port));
  const dashboard = manifests.find(({ metadata: { name } }) => name === 'mcp-troupe-dashboard');
  assert.deepEqual(JSON.parse(dashboard.data['troupe.json']), JSON.parse(readDeployed('prometheus/dashboard.json')));
});

test('who installs it reads which secrets have to exist, and where clients go', () => {
  const { stdout } = helm('install', 'mcp', chart, '--dry-run=client', '--set', 'admin.enabled=true,tls.secret=web');
  const [, notes] = stdout.split('NOTES:\n');
  for (const secret of ['troupe-keys', 'troupe-admin', 'web', 'troupe-tls'])
    assert.match(notes, new RegExp(`^  ${secret}: `, 'm'));
  assert.match(notes, /https:\/\/mcp-troupe\.default:443\/mcp/);
});
