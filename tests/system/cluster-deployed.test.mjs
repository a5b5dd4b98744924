// Nodes configured by the files of deploy/, with only addresses and ports changed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import { test } from './lib/concurrently.mjs';
import { readDeployed, startBalancer } from './lib/balancer.mjs';
import { Authority } from './lib/certificates.mjs';
import { at, KEY, statusOf } from './lib/cluster.mjs';
import { connect } from './lib/client.mjs';
import { assertBad, assertUnknown, bearer, tryInitialize, newKey } from './lib/credentials.mjs';
import { compose, Container, documents, containerNamespaces, PASSWORD, startComposedRedis } from './lib/deployed.mjs';
import { request } from './lib/http.mjs';
import { freePorts } from './lib/ports.mjs';
import { SLOWNESS } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

// The default heartbeat, and the start of a server.
const TAKEN_OVER = 5_000 + 25_000 * SLOWNESS;
const NAMES = ['node-1', 'node-2', 'node-3'];
const ME = newKey('me');
const CREDENTIALS = bearer(ME.secret);
const hostOf = (index) => `127.0.0.${index + 2}`;

// Each edit must match the text.
function edited(config, edits) {
  return Object.entries(edits).reduce((all, [from, to]) => {
    assert.ok(all.includes(from), `${from} is in the configuration`);
    return all.replaceAll(from, to);
  }, config);
}

const textOf = ({ result }) => result?.content[0].text;
const ready = (nodes) =>
  Promise.all(nodes.map((node) => until('it is ready', async () => (await statusOf(node, '/readyz')) === 200)));

const begin = (url) => openSession(url, undefined, undefined, CREDENTIALS);

// Nodes refuse all clients until their key file has a line. Their readiness is public.
async function open(nodes, file) {
  for (const node of nodes) assertBad(await tryInitialize(node.at('/mcp'), CREDENTIALS), node.name);
  for (const node of nodes) node.around.put(file, `${ME.line}\n`);
  const isKnown = async (node) => (await request(node.at('/mcp'), { headers: CREDENTIALS })).status !== 401;
  await Promise.all(nodes.map((node) => until(`${node.name} knows the key`, () => isKnown(node))));
  for (const node of nodes) assertUnknown(await tryInitialize(node.at('/mcp')), node.name);
}

// Any node serves any session, which shows that the nodes know each other.
async function known(nodes) {
  for (const owner of nodes) {
    const session = await begin(owner.at('/mcp'));
    for (const node of nodes)
      await until('each serves it', async () => (await at(node, session).ping()).status === 200, TAKEN_OVER);
    await session.delete();
  }
}

// The result of the addition once a node serves the session. Until then no node may answer that the session is gone.
async function added(t, session, a, b) {
  const began = Date.now();
  const told = {};
  const id = `${a}+${b}`;
  const sum = await until('it is answered', async () => {
    const reply = await session.call(id, 'add', { a, b }).catch((error) => ({ error }));
    if (reply?.result) return textOf(reply);
    const kind = JSON.stringify(reply?.error?.code ?? reply);
    told[kind] = (told[kind] ?? 0) + 1;
    return undefined;
  }, TAKEN_OVER);
  t.diagnostic(`${id} is answered after ${Date.now() - began} ms, before: ${JSON.stringify(told)}`);
  assert.ok(!('-32600' in told), 'nobody says that it is gone');
  return Number(sum);
}

const ownerOf = (nodes) =>
  until('one has its server', () => {
    const owners = nodes.filter((node) => node.isUp && node.children().length > 0);
    return owners.length === 1 && owners[0];
  });

// The secret files as compose.yaml describes them, with a key file that allows nobody.
const contents = (secrets) =>
  Object.fromEntries(secrets.map((secret) => [`/run/secrets/${secret}`, secret === 'cluster_key' ? KEY : '']));

async function composed(t) {
  const namesOf = (name) => [name, ...compose.services[name].networks.nodes.aliases];
  const hosts = Object.fromEntries(
    NAMES.flatMap((name, index) => namesOf(name).map((one) => [one, [hostOf(index)]])));
  const around = containerNamespaces(t, NAMES, { ...hosts, redis: ['127.0.0.1'] });
  if (!around) return undefined;
  const redis = await startComposedRedis(t);
  const [clients, cluster] = await freePorts(2);
  const nodes = NAMES.map((name, index) => {
    const { command, environment } = compose.services[name];
    const config = edited(readDeployed('cluster.mcp.json'), {
      '"host": "0.0.0.0"': `"host": "${hostOf(index)}", "port": ${clients}`,
      ':7946': `:${cluster}`,
      '@redis"': `@redis:${redis}"`,
    });
    const [from, to] = compose.services[name].volumes[0].split(':');
    assert.equal(from, './cluster.mcp.json');
    const files = { [to]: config, ...contents(compose.services[name].secrets) };
    const args = command.split(' ');
    const variables = { ...environment, REDIS_PASSWORD: PASSWORD };
    return new Container(t, around[index], { name, environment: variables, args, files });
  });
  await Promise.all(nodes.map((node) => node.start()));
  await ready(nodes);
  await open(nodes, '/run/secrets/client_keys');
  const front = await startBalancer(t, 'nginx', NAMES.map((_, index) => `${hostOf(index)}:${clients}`));
  return { nodes, front };
}

test('the nodes of compose go on with a session whose node is killed, behind its nginx', async (t) => {
  const scene = await composed(t);
  if (!scene) return;
  const { nodes, front } = scene;
  await known(nodes);
  const session = await begin(`${front}/mcp`);
  assert.equal(await added(t, session, 1, 2), 3);
  const owner = await ownerOf(nodes);
  await owner.kill();
  assert.equal(await added(t, session, 3, 4), 7);
  const next = await ownerOf(nodes);
  assert.notEqual(next, owner);
  t.diagnostic(`${next.name} goes on for ${owner.name}`);
  await owner.start();
  await ready([owner]);
  await until('the first passes it on', async () => (await at(owner, session).ping()).status === 200, TAKEN_OVER);
  assert.equal(await ownerOf(nodes), next);
  const { client } = await connect(t, `${front}/mcp`, {}, () => {}, CREDENTIALS);
  const { content } = await client.callTool({ name: 'add', arguments: { a: 5, b: 6 } });
  assert.equal(content[0].text, '11');
  assert.equal((await session.delete()).status, 200);
});

// -- Kubernetes ------------------------------------------------------------------------------------------------------

const resources = ['config', 'statefulset'].flatMap((name) => documents(`kubernetes/${name}.yaml`));
const find = (kind) => resources.find((one) => one.kind === kind);
const podSpec = find('StatefulSet').spec.template.spec;
const mountOf = (name) => podSpec.containers[0].volumeMounts.find((mount) => mount.name === name).mountPath;

function secretsFor() {
  const authority = new Authority(scratch(), 'authority');
  const { certificate, key } = authority.issue('troupe');
  return {
    [`${mountOf('secrets')}/cluster-key`]: KEY,
    [`${mountOf('secrets')}/keys`]: '',
    [`${mountOf('tls')}/tls.crt`]: readFileSync(certificate),
    [`${mountOf('tls')}/tls.key`]: readFileSync(key),
    [`${mountOf('tls')}/ca.crt`]: readFileSync(authority.certificate),
  };
}

// As many pods as configured, prepared but not started.
async function pods(t, count) {
  const hosts = Array.from({ length: count }, (_, index) => hostOf(index));
  const around = containerNamespaces(t, hosts, { 'troupe-nodes': hosts, redis: ['127.0.0.1'] });
  if (!around) return undefined;
  const store = `redis://:${PASSWORD}@redis:${await startComposedRedis(t)}`;
  const secrets = secretsFor();
  const [clients, cluster] = await freePorts(2);
  return hosts.map((host, index) => {
    const name = `troupe-${index}`;
    const config = edited(find('ConfigMap').data['mcp.json'], {
      '"host": "0.0.0.0"': `"host": "${host}", "port": ${clients}`,
      '0.0.0.0': host,
      ':7946': `:${cluster}`,
    });
    const files = { ...secrets, [`${mountOf('config')}/mcp.json`]: config };
    const environment = { POD_NAME: name, POD_IP: host, STORE: store };
    return new Container(t, around[index], { name, environment, args: podSpec.containers[0].args, files });
  });
}

test('a pod finds its configuration good, with the files of its secrets', async (t) => {
  const [pod] = (await pods(t, 1)) ?? [];
  if (!pod) return;
  const [program, ...args] = [...pod.before, 'check', ...podSpec.containers[0].args.slice(1, 3)];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, wrong, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const others = wrong.replace(/^troupe: warning: as root, .*\n/, ''); // a test may run as root
  assert.deepEqual([said, others, code], ['1 server, no problems\n', '', 0]);
});

test('the pods of Kubernetes find each other by their service, in TLS, and go on for one that is killed', async (t) => {
  const nodes = await pods(t, 3);
  if (!nodes) return;
  await Promise.all(nodes.map((node) => node.start()));
  await ready(nodes);
  await open(nodes, `${mountOf('secrets')}/keys`);
  await known(nodes);
  const session = await begin(nodes[0].at('/mcp'));
  assert.equal(await added(t, at(nodes[1], session), 1, 2), 3);
  await nodes[0].kill();
  assert.equal(await added(t, at(nodes[1], session), 3, 4), 7);
  assert.equal(await added(t, at(nodes[2], session), 5, 6), 11);
  await nodes[0].start();
  await ready([nodes[0]]);
  assert.equal(await added(t, at(nodes[0], session), 7, 8), 15);
  assert.equal((await at(nodes[2], session).delete()).status, 200);
});
