// Follows the page "Several nodes" from top to bottom: three nodes whose keys and certificates change.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { startBalancer } from './lib/balancer.mjs';
import { Authority } from './lib/certificates.mjs';
import { statusOf } from './lib/cluster.mjs';
import { followPage } from './lib/followed.mjs';
import { textOf } from './lib/page.mjs';
import { assertDone } from './lib/page-reader.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const NODES = [1, 2, 3];
const JOINED = /node joined/g;
const CHANGED = /keys of the cluster changed/g;

let told; // the log of the nodes
let session;
let steps = 0;
const timesTold = (what) => (told.later().match(what) ?? []).length;

const nodeAt = (reader, n) => ({ at: (path) => new URL(path, `http://127.0.0.1:${reader.port + n}`).href });

// Asserts that each node has logged the end of the step, and that no node was lost.
async function step(reader, run) {
  assertDone(await run());
  ++steps;
  await until('the step is over', () => timesTold(CHANGED) === NODES.length * steps);
  assert.equal((await session.call(steps, 'echo', { message: 'm' })).result.content[0].text, 'm');
}

// Runs the file in the reader's folder with an nginx of the test.
async function nginxOf(t, reader) {
  const written = readFileSync(join(reader.folder, 'nginx.conf'), 'utf8');
  for (const n of NODES) assert.ok(written.includes(`server 127.0.0.1:${reader.port + n} `), written);
  return startBalancer(t, 'nginx', NODES, (own) => {
    const [, temporary] = /^http \{\n((?:\w+_temp_path .*\n)+)/m.exec(own);
    const [listen] = /listen 127\.0\.0\.1:\d+/.exec(own);
    return written.replace('http {', `http {\n${temporary}`).replace(`listen 127.0.0.1:${reader.port}`, listen);
  });
}

// Certificates of two authorities for a node, under the names of the page.
function certify(folder) {
  const place = scratch();
  for (const [name, begin] of [['ours', ''], ['theirs', 'new-']]) {
    const authority = new Authority(place, name);
    const { certificate, key } = authority.issue('node');
    renameSync(certificate, join(folder, `${begin}node.pem`));
    renameSync(key, join(folder, `${begin}node.key`));
    renameSync(authority.certificate, join(folder, `${begin}ca.pem`));
  }
}

const VERIFY = ['verify', '-CAfile', 'ca.pem', 'node.pem'];
const isTrusted = ({ folder }) => spawnSync('openssl', VERIFY, { cwd: folder }).status === 0;

async function trustedStep(reader, run) {
  assertDone(await run());
  assert.ok(isTrusted(reader), 'the node shows what is trusted');
}

let t;

followPage('nodes.md', {
  prepare: (_, lasting) => (t = lasting),
  around: {
    async 'for n in 1 2 3'(reader, run) {
      told = await run();
      await until('each node knows both others', () => timesTold(JOINED) === NODES.length * (NODES.length - 1));
      for (const n of NODES)
        await until(`node ${n} is ready`, async () => (await statusOf(nodeAt(reader, n), '/readyz')) === 200);
    },
    async sed(reader, run) {
      assertDone(await run());
      session = await openSession(`${await nginxOf(t, reader)}/mcp`);
      for (const n of NODES) {
        const answer = await session.call(n, 'echo', { message: 'm' });
        assert.ok(answer.result, JSON.stringify(answer));
      }
    },
    "printf '%s\\n' \"$(cat cluster.key)\"": step,
    "printf '%s\\n' \"$(cat new.key)\"": step,
    'cp new.key next': step,
    async 'cat ca.pem new-ca.pem'(reader, run) {
      certify(reader.folder);
      await trustedStep(reader, run);
    },
    'mv new-node.pem': trustedStep,
    async 'cp new-ca.pem next'(reader, run) {
      await trustedStep(reader, run);
      assert.ok(!readFileSync(join(reader.folder, 'ca.pem'), 'utf8').match(/BEGIN.*BEGIN/s), 'one is left');
    },
  },
  more: {
    async 'its nodes are ended as the text says'(reader) {
      for (const command of ['kill -9 %2', 'kill %1 %3']) {
        assert.ok(textOf('nodes.md').includes(`\`${command}\``), command);
        assertDone(await reader.run(command));
      }
      for (const n of NODES)
        await until(`node ${n} is gone`, async () => !(await statusOf(nodeAt(reader, n), '/healthz')));
    },
  },
});
