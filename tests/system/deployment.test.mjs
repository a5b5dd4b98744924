// Consistency of the files of deploy/ that run a cluster.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { deployed, readDeployed } from './lib/balancer.mjs';
import { checked } from './lib/checked.mjs';
import { PROGRAM, runProgram } from './lib/gateway.mjs';
import { refusesConnections } from './lib/http.mjs';
import { problemsOf } from './lib/kubernetes.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { until } from './lib/until.mjs';

const STOPPING = 4; // seconds for a server to exit, twice 2
const VARIABLES = {
  NODE: 'node-1', REDIS_PASSWORD: 'secret', POD_NAME: 'troupe-0', POD_IP: '10.0.0.1', STORE: 'redis://:secret@redis',
};
Object.assign(process.env, VARIABLES);

// The documents of a file. Fails on parse errors.
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
const [, version] = /^project\(troupe VERSION (\S+)/m.exec(readDeployed('../CMakeLists.txt'));
const helpOf = (command) => text(runProgram(command, '--help').stdout);
const servesFlag = async (flag) => (await helpOf('serve')).includes(flag);

test('the configuration of compose is a good one', async () => {
  assert.equal(await checked(readDeployed('cluster.mcp.json')), '1 server, no problems\n');
});

test('compose runs three nodes that know one another', () => {
  for (const name of nodes) {
    assert.equal(compose.services[name].environment.NODE, name);
    assert.match(readDeployed('nginx.conf'), new RegExp(`server ${name}:8080 `));
    assert.match(readDeployed('haproxy.cfg'), new RegExp(`server ${name} ${name}:8080`));
  }
});

test('nodes of compose speak with one another in a network that only they and Redis are in', () => {
  const config = readDeployed('cluster.mcp.json');
  const place = (key) => new RegExp(`"${key}": "([^"]+)"`).exec(config)[1].replaceAll('${NODE}', 'node-1');
  for (const key of ['listen', 'advertise']) assert.equal(place(key), 'node-1.nodes:7946');
  assert.deepEqual(place('join').split(','), nodes.map((name) => `${name}.nodes:7946`));
  for (const name of nodes) {
    const { front, nodes: inner } = compose.services[name].networks;
    assert.deepEqual(front, {});
    assert.deepEqual(inner, { aliases: [`${name}.nodes`] });
  }
  const isInside = ({ networks }) => 'nodes' in networks || Object.values(networks).includes('nodes');
  const inside = Object.entries(compose.services).filter(([, one]) => isInside(one)).map(([name]) => name);
  assert.deepEqual(inside.sort(), [...nodes, 'redis']);
  assert.equal(compose.networks.nodes.internal, true);
});

// Runs Redis like its container, in a folder of the test.
async function runRedis(t) {
  const end = [];
  t.after(() => Promise.all(end.map((one) => one())));
  const folder = scratch();
  const port = await freePort();
  const [shell, ...args] = compose.services.redis.command;
  const inside = (text) =>
    text
      .replaceAll('$$', '$')
      .replaceAll('/tmp/', `${folder}/`)
      .replace(/redis-server .*/, `$& --port ${port} --bind 127.0.0.1 --dir ${folder}`);
  const env = { ...process.env, REDIS_PASSWORD: 'secret' };
  const child = spawn(shell, args.map(inside), { env, stdio: 'ignore', detached: true });
  const exited = once(child, 'exit');
  end.push(() => child.exitCode ?? (process.kill(-child.pid, 'SIGKILL') && exited));
  await until('Redis listens', async () => !(await refusesConnections(port)));
  return { child, exited, port, config: join(folder, 'redis.conf') };
}

test('Redis of compose ends by TERM, and keeps its password to itself', async (t) => {
  const { child, exited, port, config } = await runRedis(t);
  assert.equal(statSync(config).mode & 0o777, 0o600);
  assert.match(compose.services.redis.tmpfs, /^\/tmp$/);
  assert.equal(compose.services.redis.user, 'redis');
  const ping = spawn('redis-cli', ['-p', String(port), 'ping'], { stdio: ['ignore', 'pipe', 'ignore'] });
  assert.match(await text(ping.stdout), /^NOAUTH/);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('compose lets calls finish', () => {
  for (const name of nodes)
    assert.ok(seconds(compose.services[name].stop_grace_period) > graceOf(readDeployed('cluster.mcp.json')) + STOPPING);
});

test('compose shows nothing but nginx, and that to its own machine', () => {
  assert.deepEqual(Object.entries(compose.services).filter(([, { ports }]) => ports).map(([name]) => name), ['nginx']);
  assert.deepEqual(compose.services.nginx.ports, ['127.0.0.1:8080:8080']);
});

test('compose mounts files that are there', () => {
  for (const { volumes = [] } of Object.values(compose.services))
    for (const [from] of volumes.map((volume) => volume.split(':')).filter(([from]) => from.startsWith('.')))
      assert.ok(existsSync(deployed(from)), from);
});

test('no secret is in the files', () => {
  assert.deepEqual(Object.keys(compose.secrets), ['cluster_key', 'client_keys']);
  for (const name of ['../.gitignore', '../.dockerignore']) {
    assert.match(readDeployed(name), /^\/?deploy\/\*\.key$/m);
    assert.match(readDeployed(name), /^\/?deploy\/\*\.keys$/m);
  }
  const [secret, tls] = documents('kubernetes/secret.example.yaml');
  assert.equal(secret.stringData['cluster-key'], '');
  assert.deepEqual(Object.values(tls.stringData), ['', '', '']);
});

test('the configuration of Kubernetes is a good one', async () => {
  const config = find('ConfigMap', 'troupe').data['mcp.json'];
  assert.equal(await checked(config), '1 server, no problems\n');
  assert.ok(!config.includes('"plain"'));
});

test('the manifests have fields that Kubernetes knows', () => {
  for (const one of [...resources, ...documents('kubernetes/secret.example.yaml')])
    assert.deepEqual(problemsOf(one), [], `${one.kind} ${one.metadata.name}`);
});

test('a field that Kubernetes does not know is found', () => {
  const { spec, ...other } = find('PodDisruptionBudget', 'troupe');
  assert.deepEqual(problemsOf({ ...other, spec: { ...spec, maxUnavailible: 2 } }), ['/spec/maxUnavailible: no such field']);
  assert.match(problemsOf({ ...other, spec: { ...spec, selector: 'a' } })[0], /spec\/selector must be object/);
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

test('a pod that is frozen is out within seconds, and killed within a minute', () => {
  const { readinessProbe, livenessProbe } = find('StatefulSet', 'troupe').spec.template.spec.containers[0];
  const noticed = ({ periodSeconds: every, timeoutSeconds: limit, failureThreshold }) => every * failureThreshold + limit;
  assert.ok(noticed(readinessProbe) <= 6);
  assert.ok(noticed(livenessProbe) + livenessProbe.terminationGracePeriodSeconds < 60);
});

test('an image is that of this version, and nobody looks for a newer one', () => {
  const image = `troupe:${version}`;
  const { containers: [troupe] } = find('StatefulSet', 'troupe').spec.template.spec;
  assert.deepEqual([troupe.image, troupe.imagePullPolicy], [image, 'IfNotPresent']);
  for (const name of nodes) assert.equal(compose.services[name].image, image);
  assert.match(readDeployed('Dockerfile'), new RegExp(`^# docker build --tag ${image} `));
  assert.ok(readDeployed('Dockerfile').includes(`FROM ${image},`));
});

test('a pod is no root and can become none', () => {
  const { securityContext: pod, containers: [troupe] } = find('StatefulSet', 'troupe').spec.template.spec;
  assert.equal(pod.runAsNonRoot, true);
  assert.deepEqual(troupe.securityContext.capabilities.drop, ['ALL']);
  assert.equal(troupe.securityContext.allowPrivilegeEscalation, false);
  assert.match(readDeployed('Dockerfile'), new RegExp(`^USER ${pod.runAsUser}:${pod.runAsGroup}$`, 'm'));
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
  for (const image of file.split(/^FROM /m).filter((one) => /^scratch|AS runtimes$/m.test(one))) {
    assert.match(image, /^USER 10001:10001$/m);
    assert.match(image, /^HEALTHCHECK .*\/healthz$/m);
    assert.match(image, /^ENTRYPOINT \["troupe"\]$/m);
  }
  for (const args of [compose.services['node-1'].command.split(' '), find('StatefulSet', 'troupe').spec.template.spec.containers[0].args])
    for (const flag of args.filter((one) => one.startsWith('--'))) assert.ok(await servesFlag(flag), flag);
});

// The inline code in a column of a page's table with that head.
function wordsIn(page, head, column) {
  const [table] = readDeployed(`doc/${page}.md`).split(`\n| ${head} |`)[1].split('\n\n');
  const cells = table.split('\n').slice(2).map((row) => row.split('|')[column + 1]);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word));
}

test('a page has the flags of the program', async () => {
  const known = [...(await helpOf('serve')).matchAll(/^ +(?:-., )?(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const others = ['--help', '--version', '--stdio'];
  const tables = ['flag', 'flag of an option'].flatMap((head) => wordsIn('program', head, 0));
  const told = tables.map((word) => word.split(' ')[0]);
  assert.deepEqual(told.sort(), known.filter((flag) => !others.includes(flag)).sort());
});

test('a page has the keys of a server that the schema has', () => {
  const { $defs } = JSON.parse(readDeployed('config.schema.json'));
  const all = Object.entries($defs.server.properties);
  const isOtherWord = ({ $ref, description }) => $ref?.includes('/server/') || description?.startsWith('The same as `tools.');
  const ofServer = all.filter(([, one]) => !isOtherWord(one) && !one.description?.match(/ignored\.$|; not (used|run), with a warning/));
  assert.deepEqual(wordsIn('servers', 'key of a server', 0).sort(), ofServer.map(([key]) => key).sort());
  const [, ofClients] = readDeployed('doc/servers.md').split('## Files of clients');
  for (const [key] of all.filter(([, one]) => isOtherWord(one))) assert.ok(ofClients.includes(`\`${key}\``), key);
});

const unit = readDeployed('troupe.service');

test('the unit reloads by SIGHUP, and lets calls finish', () => {
  assert.match(unit, /^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
  assert.match(unit, /^KillMode=mixed$/m);
  assert.ok(seconds(/^TimeoutStopSec=(\S+)$/m.exec(unit)[1]) > 5 + STOPPING);
});

test('a node that is a unit has secrets that only root may read', async () => {
  assert.match(unit, /^DynamicUser=yes$/m);
  const folder = scratch();
  const given = [...unit.matchAll(/^LoadCredential=(\S+)$/gm)].map(([, name]) => name);
  const named = [...unit.matchAll(/"\$\{CREDENTIALS_DIRECTORY\}\/([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(named.sort(), given.sort());
  const [key] = given.filter((name) => name.includes('cluster'));
  writeFileSync(join(folder, key), 'a secret of enough bytes', { mode: 0o400 });
  const keyFile = `\${CREDENTIALS_DIRECTORY}/${key}`;
  const config = { mcpServers: { a: { command: 'true' } }, gateway: { cluster: { node: 'a', keyFile } } };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify(config));
  const env = { ...process.env, CREDENTIALS_DIRECTORY: folder };
  const child = spawn(PROGRAM, ['check', '--config', join(folder, 'mcp.json')], { env });
  assert.equal(await text(child.stdout), '1 server, no problems\n');
});
