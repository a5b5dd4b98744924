// Discovery of nodes, and authentication between them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { allow, test } from './lib/concurrently.mjs';
import { Authority } from './lib/certificates.mjs';
import { at, emptyCluster, HEARTBEAT, startCluster, statusOf } from './lib/cluster.mjs';
import { assertAllBack, baseLines } from './lib/faults.mjs';
import { exampleServer, fixture, runProgram } from './lib/gateway.mjs';
import { rawConnection } from './lib/http.mjs';
import { freePort } from './lib/ports.mjs';
import { descriptors, peakMemory, SLOWNESS } from './lib/processes.mjs';
import { random } from './lib/random.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { MIB } from './lib/state.mjs';
import { steady, throughout, until } from './lib/until.mjs';

allow(8);

const HEARTBEAT_MS = HEARTBEAT * 1_000;
const SLACK = 25_000 * SLOWNESS;
// In seconds: the time for which a node looks for others that do not answer. A busy machine has to query it meanwhile.
const LOOKS = 12;
const textOf = ({ result }) => result?.content[0].text;
const command = exampleServer;

// Asserts that every node serves the sessions of all.
async function assertServes(nodes) {
  for (const owner of nodes) {
    const session = await openSession(owner.url);
    for (const node of nodes)
      assert.equal(textOf(await at(node, session).call(1, 'echo', { message: node.name })), `${node.name}`);
    await session.delete();
  }
}

async function assertStrangers(nodes, others) {
  for (const [one, other] of nodes.flatMap((node) => others.map((stranger) => [node, stranger]))) {
    const names = [(await one.others()), (await other.others())].map((list) => list.map(({ name }) => name));
    assert.ok(!names[0].includes(other.name) && !names[1].includes(one.name), JSON.stringify(names));
    const [mine, theirs] = await Promise.all([openSession(one.url), openSession(other.url)]);
    // Ids are sealed by the same key, and the other node may be out of reach for a while.
    const asked = await Promise.all([at(other, mine).ping(), at(one, theirs).ping()]);
    assert.deepEqual(asked.map(({ status }) => status), [503, 503]);
    await Promise.all([mine.delete(), theirs.delete()]);
  }
}

const saysSo = (node, pattern, level = /warning|error/) =>
  until(`${node.name} says so`, () =>
    node.log.find((line) => pattern.test(line) && level.test(JSON.parse(line).level)),
  ).catch((error) => {
    throw new Error(node.told(error.message));
  });

// -- discovery ---------------------------------------------------------------------------------------------------------

test('nodes find each other by name, all under one: localhost', async (t) => {
  const cluster = await emptyCluster(t, { command });
  const nodes = await cluster.make(3);
  await cluster.start(nodes, nodes.map(({ clusterPort }) => `localhost:${clusterPort}`));
  await cluster.whole();
  await assertServes(nodes);
});

test('a node that knows one member is known to all, and knows all', async (t) => {
  const cluster = await startCluster(t, { command });
  await cluster.add([cluster.nodes[1].address]);
  await cluster.whole();
  await assertServes(cluster.nodes);
});

test('nodes in a chain, each of which knows the one before it, all find each other', async (t) => {
  const cluster = await emptyCluster(t, { command });
  let before = [];
  for (let count = 0; count < 5; ++count) before = [(await cluster.add(before)).address];
  await cluster.whole();
  await assertServes(cluster.nodes);
});

test('a node without others is ready, and serves', async (t) => {
  const cluster = await emptyCluster(t, { command });
  const node = await cluster.add([]);
  await until('it is ready', async () => (await statusOf(node, '/readyz')) === 200);
  await assertServes([node]);
});

test('a node whose members are not there is ready when it has tried them, and joins when they come', async (t) => {
  const cluster = await emptyCluster(t, { command, heartbeat: HEARTBEAT });
  const [one, two] = await cluster.make(2);
  const joins = [one.address, two.address];
  await cluster.start([one], joins);
  await until('it is ready', async () => (await statusOf(one, '/readyz')) === 200, HEARTBEAT_MS + SLACK);
  await cluster.start([two], joins);
  await cluster.whole();
  await assertServes([one, two]);
});

test('a node that cannot tell yet who is there is not ready, and lets sessions of others wait', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const cluster = await startCluster(t, { command, nodes: 1, heartbeat: LOOKS });
  const session = await openSession(cluster.nodes[0].url);
  const began = Date.now();
  const node = await cluster.add([`127.0.0.1:${silent.address().port}`]);
  let answered;
  const asking = at(node, session).ping().then((reply) => (answered = reply));
  assert.equal(await statusOf(node, '/readyz'), 503);
  assert.equal(await statusOf(node, '/healthz'), 200);
  assert.equal(answered, undefined, 'a session of a node that may still be found');
  await until('it is ready', async () => (await statusOf(node, '/readyz')) === 200, LOOKS * 1_000 + SLACK);
  t.diagnostic(`ready after ${Date.now() - began} ms of a heartbeat of ${LOOKS} s`);
  assert.equal((await asking).status, 503, 'nobody else is there, but may come');
});

test('a node that answers nothing does not keep others from joining', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const cluster = await emptyCluster(t, { command, heartbeat: HEARTBEAT });
  const nodes = await cluster.make(3);
  const joins = [`127.0.0.1:${silent.address().port}`, ...nodes.map(({ address }) => address)];
  const began = Date.now();
  await cluster.start(nodes, joins);
  await cluster.whole();
  t.diagnostic(`all know each other after ${Date.now() - began} ms`);
  await assertServes(nodes);
});

// -- names and incarnations --------------------------------------------------------------------------------------------

test('a second node with a name that is taken is refused, and both sides say why', async (t) => {
  const cluster = await startCluster(t, { command });
  const [first] = cluster.nodes;
  const others = cluster.nodes.slice();
  const session = await openSession(first.url);
  const second = await cluster.add(others.map(({ address }) => address), (node) => {
    node.name = first.name;
  });
  await Promise.race([saysSo(second, /same name|refuse/), second.gateway.exited]);
  t.diagnostic(`the second: ${second.log.filter((line) => /warning|error/.test(line)).join(' ')}`);
  t.diagnostic(`the first: ${first.log.filter((line) => /warning|error/.test(line)).join(' ')}`);
  // Long enough for all nodes to have received it.
  await throughout(2_000, async () => {
    for (const node of others) {
      const names = (await node.others()).map(({ name }) => name).toSorted();
      assert.deepEqual(names, others.filter((other) => other !== node).map(({ name }) => name).toSorted(), node.told(''));
      assert.equal((await at(node, session).ping()).status, 200, node.told('the first is served'));
    }
  });
});

test('a node that was restarted has lost its sessions at every node, and is a member again', async (t) => {
  const cluster = await startCluster(t, { command });
  const [one] = cluster.nodes;
  const session = await openSession(one.url);
  await one.restart();
  await cluster.whole();
  for (const node of cluster.nodes) assert.equal((await at(node, session).ping()).status, 404);
  await assertServes(cluster.nodes);
});

test('a node that comes and goes again and again is a member in the end', async (t) => {
  const cluster = await startCluster(t, { command });
  const [one, two] = cluster.nodes;
  const lives = async (count) => {
    for (let life = 0; life < count; ++life) {
      await one.kill();
      await one.start();
      const session = await openSession(one.url);
      await until('another node serves it', async () => (await at(two, session).ping()).status === 200);
      await session.delete();
    }
    await cluster.whole();
    await assertServes(cluster.nodes);
  };
  await baseLines(cluster, () => lives(2));
  await lives(8);
  await assertAllBack(cluster, 4 * MIB);
});

// -- keys and certificates -----------------------------------------------------------------------------------------------

const turnedAway = ({ log }) => log.filter((line) => /is turned away/.test(line)).map((line) => JSON.parse(line));

test('nodes with different keys do not find sessions at each other: 404', async (t) => {
  const cluster = await startCluster(t, { command, nodes: 2 });
  const members = cluster.nodes.slice();
  const keyFile = join(scratch(), 'key');
  writeFileSync(keyFile, 'the secret of another cluster');
  const stranger = await cluster.add([cluster.nodes[0].address], (node) => {
    node.flags[node.flags.indexOf('--cluster-key') + 1] = keyFile;
  });
  await until('it is ready', async () => (await statusOf(stranger, '/readyz')) === 200);
  for (const node of members) {
    const [mine, theirs] = await Promise.all([openSession(node.url), openSession(stranger.url)]);
    assert.equal((await at(stranger, mine).ping()).status, 404);
    assert.equal((await at(node, theirs).ping()).status, 404);
  }
  await until('it was turned away', () => turnedAway(members[0]).length > 0);
  const [line, ...others] = turnedAway(members[0]);
  assert.deepEqual([line.level, line.why, others], ['warning', 'it has another cluster key', []]);
});

test('nodes with certificates of one authority serve the sessions of each other', async (t) => {
  const cluster = await startCluster(t, { command: fixture('hostile'), tls: true });
  const [one, two] = cluster.nodes;
  const session = await openSession(one.url);
  assert.equal(textOf(await at(two, session).call(1, 'big', { bytes: 8 * MIB })).length, 8 * MIB);
  const message = 'x'.repeat(4 * MIB - 200);
  assert.equal(textOf(await at(two, session).call(2, 'echo', { message })), message);
  await one.restart();
  await cluster.whole();
  assert.equal((await at(two, session).ping()).status, 404);
});

// Each function starts an unauthenticated peer next to nodes with certificates.
const STRANGERS = {
  'a certificate of a foreign authority': (cluster) => {
    const foreign = new Authority(cluster.folder, 'foreign');
    return (node) => {
      const from = node.flags.indexOf('--cluster-cert');
      node.flags.splice(from, 6, ...cluster.authority.flagsAlsoOf(foreign, foreign.issue('stranger')));
    };
  },
  'a foreign authority and its certificate': (cluster) => {
    const foreign = new Authority(cluster.folder, 'foreign');
    return (node) => {
      const from = node.flags.indexOf('--cluster-cert');
      node.flags.splice(from, 6, ...foreign.flags(foreign.issue('stranger')));
    };
  },
  'no certificate': () => (node) => {
    node.flags.splice(node.flags.indexOf('--cluster-cert'), 6);
  },
};

for (const [what, strange] of Object.entries(STRANGERS))
  test(`a node with ${what} never joins, and says so, also when it is called`, async (t) => {
    const cluster = await startCluster(t, { command, nodes: 2, tls: true });
    const members = cluster.nodes.slice();
    const stranger = await cluster.add([members[0].address], strange(cluster));
    const friend = await cluster.add([members[0].address, stranger.address]);
    await saysSo(stranger, /no node answers/);
    await saysSo(members[0], /warning.*is turned away/);
    await saysSo(friend, new RegExp(`no node answers.*${stranger.address}`));
    await until('it is ready', async () => (await statusOf(stranger, '/readyz')) === 200);
    for (const node of [stranger, friend])
      t.diagnostic(`${node.name} says: ${node.log.filter((line) => /warning|error/.test(line)).join(' ')}`);
    await assertStrangers(members, [stranger]);
    await until('the friend is a member', () => friend.knows(...members));
    await assertServes([...members, friend]);
    for (const node of members) assert.ok(!node.logged('node lost'), node.told('nobody is lost by it'));
  });

// -- peers that are no nodes ---------------------------------------------------------------------------------------------

const chance = random();
// The first byte of a node's message is a small number.
const noise = () => Buffer.concat([Buffer.from([0xf0 + chance.below(16)]), chance.bytes(chance.below(2_000))]);
const announcement = () => {
  const bytes = Buffer.alloc(40);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32BE(2 ** 31 - 1, 4);
  return bytes;
};
const HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';
const TALK = {
  'says nothing': [''],
  'speaks HTTP': ['GET / HTTP/1.1\r\n\r\n'],
  'begins with TLS': [HELLO],
  'says zeros': ['\0'.repeat(10_000)],
  'makes noise': Array.from({ length: 20 }, noise),
  'announces two GiB': [announcement()],
  'comes in crowds': Array(200).fill(''),
};

for (const tls of [false, true])
  for (const [what, talk] of Object.entries(TALK))
    test(`a caller that ${what} does no harm to nodes ${tls ? 'with' : 'without'} certificates`, async (t) => {
      const cluster = await startCluster(t, { command, tls });
      const [one, two] = cluster.nodes;
      const sessions = await Promise.all(cluster.nodes.map(({ url }) => openSession(url)));
      const open = () => descriptors(one.pid);
      const before = await steady('the number of descriptors', open);
      const { bytes: grown, value: connections } = await peakMemory(one.pid, async () => {
        const callers = talk.map((bytes) => rawConnection(one.clusterPort, bytes));
        await throughout(1_000, async () => {
          for (const session of sessions)
            for (const node of cluster.nodes) {
              const { status } = await at(node, session).ping();
              assert.equal(status, 200, cluster.nodes.map((each) => each.told('')).join('\n'));
            }
        });
        return callers;
      });
      assert.ok(await cluster.isWhole(), one.told('the cluster is whole'));
      for (const node of cluster.nodes) assert.ok(!node.logged('node lost'), node.told('nobody is lost by it'));
      assert.ok(grown < 64 * MIB, `${(grown / MIB).toFixed(1)} MiB`);
      await two.restart();
      await cluster.whole();
      t.diagnostic(`${connections.filter(({ closed }) => closed).length} of ${connections.length} were shown out`);
      for (const { socket } of connections) socket.destroy();
      await until('their descriptors are closed', () => open() <= before);
    });

// -- flags -------------------------------------------------------------------------------------------------------------

async function refusal(...flags) {
  const child = runProgram('serve', '--port', '0', ...flags, '--', ...command);
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearTimeout(late);
  return { said, code };
}

test('a node does not start with what would not be safe, or not work', async () => {
  const keyFile = join(scratch(), 'key');
  const shortKey = join(scratch(), 'short');
  writeFileSync(keyFile, 'a secret that is long enough');
  writeFileSync(shortKey, 'fifteen letters');
  const port = await freePort();
  const key = ['--cluster-key', keyFile];
  const outside = Object.values(networkInterfaces()).flat().find(({ family, internal }) => family === 'IPv4' && !internal);
  const wrong = [
    [['--node', 'a', '--cluster-listen', `0.0.0.0:${port}`, '--cluster-advertise', `a.example:${port}`, ...key], /certificates/],
    [['--node', 'a', '--cluster-listen', `0.0.0.0:${port}`, ...key], /every address/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`], /key.*missing/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, '--cluster-key', shortKey], /16 bytes/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, '--cluster-key', '/no/such/file'], /cannot be read/],
    [['--cluster-listen', `127.0.0.1:${port}`, ...key], /node.*missing/],
    [['--node', 'a b', '--cluster-listen', `127.0.0.1:${port}`, ...key], /letters, digits/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, ...key, '--join', 'nonsense'], /join/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, ...key, '--join', '127.0.0.1:0'], /join/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, ...key, '--heartbeat', '0.1'], /heartbeat/],
    [['--node', 'a', '--cluster-listen', `127.0.0.1:${port}`, ...key, '--cluster-cert', keyFile], /cluster-cert-key/],
  ];
  if (outside)
    wrong.push([['--node', 'a', '--cluster-listen', `${outside.address}:${port}`, ...key], /certificates/]);
  for (const [flags, pattern] of wrong) {
    const { said, code } = await refusal(...flags);
    assert.ok(code > 0, `${flags.join(' ')}: ${code} ${said}`);
    assert.match(said, pattern, flags.join(' '));
    assert.ok(said.trim().split('\n').length <= 2, said);
  }
});

test('a node whose port for nodes is taken does not start, and says so in one line', async (t) => {
  const { nodes: [node], keyFile } = await startCluster(t, { command, nodes: 1 });
  const flags = ['--node', 'b', '--cluster-listen', node.address, '--cluster-key', keyFile];
  const { said, code } = await refusal(...flags);
  assert.equal(code, 1, said);
  assert.match(said, new RegExp(`cannot listen for other nodes at ${node.address}`));
});

// The invalid flag, and the resulting file.
for (const [what, broken] of [
  ['a certificate that is none', (cluster) => ['--cluster-cert', cluster.keyFile]],
  ['a key of another certificate', ({ authority }) => ['--cluster-cert-key', authority.issue('other').key]],
  ['an authority that is none', (cluster) => ['--cluster-ca', cluster.keyFile]],
  ['a foreign authority', ({ folder }) => ['--cluster-ca', new Authority(folder, 'foreign').certificate]],
])
  test(`a node with ${what} does not start, and says what is wrong in one line`, async (t) => {
    const cluster = await emptyCluster(t, { command, tls: true });
    const [node] = await cluster.make(1);
    const flags = cluster.flagsOf(node, []);
    const [flag, file] = broken(cluster);
    flags[flags.indexOf(flag) + 1] = file;
    const { said, code } = await refusal('--node', 'a', ...flags);
    assert.equal(code, 1, said);
    assert.match(said, new RegExp(`^[^\n]*${file}[^\n]*\n$`));
  });

test('a node whose certificate cannot be read any more serves on, also when it is called', async (t) => {
  const cluster = await startCluster(t, { command, tls: true });
  const [one] = cluster.nodes;
  const session = await openSession(one.url);
  const files = ['--cluster-cert', '--cluster-cert-key'].map((flag) => one.flags[one.flags.indexOf(flag) + 1]);
  for (const file of files) renameSync(file, `${file}.away`);
  const callers = Array.from({ length: 3 }, () => rawConnection(one.clusterPort));
  await throughout(1_000, async () =>
    assert.equal((await session.ping().catch(() => undefined))?.status, 200, one.told('it serves')));
  for (const { socket } of callers) socket.destroy();
  for (const file of files) renameSync(`${file}.away`, file);
  await cluster.whole();
});
