// The roots that a server receives: the real `server-filesystem` opens the client's folders instead of its own.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { nodeProgram } from './lib/gateway.mjs';
import { Caller, textOf } from './lib/modern.mjs';
import { until } from './lib/until.mjs';

const stage = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-roots-')));
process.on('exit', () => rmSync(stage, { recursive: true, force: true }));
const [OWN, NAMED] = ['own', 'named'].map((name) => join(stage, name));
for (const folder of [OWN, NAMED]) mkdirSync(folder);

const FILESYSTEM = fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);
const [command, ...args] = nodeProgram(FILESYSTEM, OWN);
const LOCAL = {};
const FAR = { 'x-forwarded-for': '203.0.113.9' };
const CAN = { roots: { listChanged: true } };
const TOOL = { name: 'list_allowed_directories', arguments: {} };
const LIMIT = 60_000;

const serverWith = (roots) => ({ command, args, ...(roots && { roots }) });

const serve = (t, mcpServers) =>
  gatewayWith(t, { mcpServers, gateway: { limits: { trustedProxies: ['127.0.0.1'] } } });

async function clientOf(t, url, headers) {
  let asked = 0;
  const prepare = (client) =>
    client.setRequestHandler(ListRootsRequestSchema, () => {
      ++asked;
      return { roots: [{ uri: pathToFileURL(NAMED).href, name: 'named' }] };
    });
  const { client } = await connect(t, url, CAN, prepare, headers);
  const opens = async (name = TOOL.name) => textOf({ result: await client.callTool({ ...TOOL, name }) });
  return { client, opens, asked: () => asked };
}

async function assertKept({ client, opens, asked }, name) {
  await client.sendRootsListChanged();
  const text = await opens(name);
  assert.ok(text.includes(OWN) && !text.includes(NAMED), text);
  assert.equal(asked(), 0, 'the client was asked for nothing');
}

const assertWidened = ({ opens }, name) =>
  until('the folder of the client is open', async () => (await opens(name)).includes(NAMED), LIMIT);

test('a client on this machine tells its roots, one from elsewhere does not', async (t) => {
  const gateway = await serve(t, { files: serverWith() });
  await assertWidened(await clientOf(t, gateway.url, LOCAL));
  await assertKept(await clientOf(t, gateway.url, FAR));
  await assertKept(await clientOf(t, gateway.at('/servers/files/mcp'), FAR));
});

test('each server has its own rule, alone and among others', async (t) => {
  const gateway = await serve(t, { passes: serverWith('pass'), none: serverWith('none'), auto: serverWith('auto') });
  const far = await clientOf(t, gateway.url, FAR);
  await assertWidened(far, `passes__${TOOL.name}`);
  for (const name of ['none', 'auto']) {
    const text = await far.opens(`${name}__${TOOL.name}`);
    assert.ok(text.includes(OWN) && !text.includes(NAMED), text);
  }
  await assertKept(await clientOf(t, gateway.at('/servers/none/mcp'), LOCAL));
});

test('a client of 2026-07-28 from elsewhere is asked for no roots', async (t) => {
  const gateway = await serve(t, { files: serverWith() });
  const caller = new Caller(gateway.url, { can: { roots: {} }, headers: FAR });
  const text = textOf(await caller.call(TOOL.name));
  assert.ok(text.includes(OWN) && !text.includes(NAMED), text);
});
