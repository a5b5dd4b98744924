// The files of deploy/ that run a cluster say what they must, and what they name is there.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { deployed, readDeployed } from './lib/balancer.mjs';
import { runProgram } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';

const STOPPING = 4; // seconds that a server gets to go, twice 2
const VARIABLES = {
  NODE: 'node-1', REDIS_PASSWORD: 'secret', POD_NAME: 'troupe-0', POD_IP: '10.0.0.1', STORE: 'redis://:secret@redis',
};
Object.assign(process.env, VARIABLES);

// The documents of a file; fails on what a parser finds wrong with it.
function documents(name) {
  return parseAllDocuments(readDeployed(name), { merge: true, strict: true, uniqueKeys: true }).map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [], name);
    return document.toJS();
  });
}

const kubernetes = readdirSync(deployed('kubernetes')).map((name) => `kubernetes/${name}`);
const resources = kubernetes.filter((name) => !/kustomization|example/.test(name)).flatMap(documents);
const find = (kind, name) => resources.find((one) => one.kind === kind && one.metadata.name === name);
const [compose] = documents('compose.yaml');
const nodes = ['node-1', 'node-2', 'node-3'];
const seconds = (time) => Number(/^([0-9]+)s$/.exec(time)[1]);
const graceOf = (config) => seconds(/"grace": "([^"]+)"/.exec(config)[1]);
const servesFlag = async (flag) => (await text(runProgram('serve', '--help').stdout)).includes(flag);

// What `troupe check` says of a configuration whose files are in a folder of the test.
async function checked(t, config) {
  const folder = scratch(t);
  const moved = config.replace(/"(\/(?:etc|run)\/[^"]+)"/g, (_, path) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'a secret of enough bytes');
    return JSON.stringify(file);
  });
  const file = join(folder, 'mcp.json');
  writeFileSync(file, moved);
  const child = runProgram('check', '--config', file);
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return said;
}

test('the configuration of compose is a good one', async (t) => {
  assert.equal(await checked(t, readDeployed('cluster.mcp.json')), '1 server, no problems\n');
});

test('compose runs three nodes that know one another', () => {
  const config = readDeployed('cluster.mcp.json');
  for (const name of nodes) {
    const node = compose.services[name];
    assert.equal(node.environment.NODE, name);
    assert.match(config, new RegExp(`"join": "[^"]*${name}:7946`));
    assert.match(readDeployed('nginx.conf'), new RegExp(`server ${name}:8080 `));
    assert.match(readDeployed('haproxy.cfg'), new RegExp(`server ${name} ${name}:8080`));
  }
});

test('compose lets calls finish', () => {
  for (const name of nodes)
    assert.ok(seconds(compose.services[name].stop_grace_period) > graceOf(readDeployed('cluster.mcp.json')) + STOPPING);
});

test('compose shows nothing but nginx, and that to its own machine', () => {
  assert.deepEqual(Object.entries(compose.services).filter(([, { ports }]) => ports).map(([name]) => name), ['nginx']);
  assert.deepEqual(compose.services.nginx.ports, ['127.0.0.1:8080:8080']);
  assert.deepEqual(compose.services.redis.networks, ['nodes']);
  assert.equal(compose.networks.nodes.internal, true);
});

test('compose mounts files that are there', () => {
  for (const { volumes = [] } of Object.values(compose.services))
    for (const [from] of volumes.map((volume) => volume.split(':')).filter(([from]) => from.startsWith('.')))
      assert.ok(existsSync(deployed(from)), from);
});

test('no secret is in the files', () => {
  assert.deepEqual(Object.keys(compose.secrets), ['cluster_key']);
  for (const name of ['../.gitignore', '../.dockerignore']) assert.match(readDeployed(name), /^\/?deploy\/\*\.key$/m);
  const [secret, tls] = documents('kubernetes/secret.example.yaml');
  assert.equal(secret.stringData['cluster-key'], '');
  assert.deepEqual(Object.values(tls.stringData), ['', '', '']);
});

test('the configuration of Kubernetes is a good one', async (t) => {
  const config = find('ConfigMap', 'troupe').data['mcp.json'];
  assert.equal(await checked(t, config), '1 server, no problems\n');
  assert.ok(!config.includes('"plain"'));
});

test('Kubernetes is told of every file', () => {
  const { resources: listed } = documents('kubernetes/kustomization.yaml')[0];
  const others = ['kubernetes/kustomization.yaml', 'kubernetes/secret.example.yaml'];
  assert.deepEqual([...listed.map((name) => `kubernetes/${name}`), ...others].sort(), kubernetes.sort());
});

test('a pod has what its configuration asks for', () => {
  const { containers: [troupe], volumes } = find('StatefulSet', 'troupe').spec.template.spec;
  const config = find('ConfigMap', 'troupe').data['mcp.json'];
  const variables = [...config.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => name);
  for (const name of variables) assert.ok(troupe.env.some((one) => one.name === name), name);
  for (const [, path] of config.matchAll(/"(\/etc\/[^"]+)"/g))
    assert.ok(troupe.volumeMounts.some(({ mountPath }) => path.startsWith(`${mountPath}/`)), path);
  assert.deepEqual(troupe.volumeMounts.map(({ name }) => name), volumes.map(({ name }) => name));
  assert.equal(troupe.env.find(({ name }) => name === 'POD_NAME').valueFrom.fieldRef.fieldPath, 'metadata.name');
  assert.equal(troupe.env.find(({ name }) => name === 'POD_IP').valueFrom.fieldRef.fieldPath, 'status.podIP');
});

test('a pod goes only when its calls have finished', () => {
  const { terminationGracePeriodSeconds: patience, containers: [troupe] } = find('StatefulSet', 'troupe').spec.template.spec;
  const [sleep, first] = troupe.lifecycle.preStop.exec.command;
  assert.equal(sleep, 'sleep');
  assert.ok(patience > Number(first) + graceOf(find('ConfigMap', 'troupe').data['mcp.json']) + STOPPING);
});

test('a pod is asked the right questions', () => {
  const { containers: [troupe] } = find('StatefulSet', 'troupe').spec.template.spec;
  assert.equal(troupe.readinessProbe.httpGet.path, '/readyz');
  assert.equal(troupe.livenessProbe.httpGet.path, '/healthz');
});

test('a pod is no root and can become none', () => {
  const { securityContext: pod, containers: [troupe] } = find('StatefulSet', 'troupe').spec.template.spec;
  assert.equal(pod.runAsNonRoot, true);
  assert.deepEqual(troupe.securityContext.capabilities.drop, ['ALL']);
  assert.equal(troupe.securityContext.allowPrivilegeEscalation, false);
  assert.match(readDeployed('Dockerfile'), new RegExp(`^USER ${pod.runAsUser}$`, 'm'));
});

test('nodes find one another before they are ready', () => {
  const { spec } = find('Service', 'troupe-nodes');
  assert.equal(spec.clusterIP, 'None');
  assert.equal(spec.publishNotReadyAddresses, true);
  assert.equal(find('StatefulSet', 'troupe').spec.serviceName, 'troupe-nodes');
  assert.match(find('ConfigMap', 'troupe').data['mcp.json'], /"join": "troupe-nodes:7946"/);
});

test('services and budgets are about the pods, and stick to none', () => {
  const { labels } = find('StatefulSet', 'troupe').spec.template.metadata;
  for (const name of ['troupe', 'troupe-nodes']) assert.deepEqual(find('Service', name).spec.selector, labels);
  assert.equal(find('Service', 'troupe').spec.sessionAffinity, undefined);
  assert.deepEqual(find('PodDisruptionBudget', 'troupe').spec, { maxUnavailable: 1, selector: { matchLabels: labels } });
  assert.deepEqual(find('StatefulSet', 'troupe').spec.selector.matchLabels, labels);
});

test('the image copies what is there, and runs what the program knows', async () => {
  const file = readDeployed('Dockerfile');
  for (const [, from] of file.matchAll(/^COPY (deploy\S+) /gm)) assert.ok(existsSync(deployed(`../${from}`)), from);
  assert.match(file, /^HEALTHCHECK .*\/healthz$/m);
  assert.match(file, /^ENTRYPOINT \["tini", "--", "troupe"\]$/m);
  for (const args of [compose.services['node-1'].command.split(' '), find('StatefulSet', 'troupe').spec.template.spec.containers[0].args])
    for (const flag of args.filter((one) => one.startsWith('--'))) assert.ok(await servesFlag(flag), flag);
});

test('the unit reloads by SIGHUP, and lets calls finish', () => {
  const unit = readDeployed('troupe.service');
  assert.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
  assert.match(unit, /^KillMode=mixed$/m);
  assert.ok(seconds(/^TimeoutStopSec=(\S+)$/m.exec(unit)[1]) > 5 + STOPPING);
});
