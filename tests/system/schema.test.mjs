import Ajv2020 from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from './lib/concurrently.mjs';
import { PROGRAM } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';

// The schema and the program must agree about every file here. Errors that a schema cannot express are excluded: unset
// variables, clashing names and prefixes, files with all servers disabled, missing files, and public addresses.

const schema = JSON.parse(await readFile(new URL('../../deploy/config.schema.json', import.meta.url), 'utf8'));
const agrees = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false }).compile(schema);

const directory = scratch();
let files = 0;

// A single shell checks many files, because it starts a program much faster than Node does.
const CHECK = 'for file; do "$0" check --config "$file" >"$file.said" 2>&1; echo $? >"$file.code"; done';

async function checkFiles(documents) {
  const paths = documents.map(() => join(directory, `${(files += 1)}.json`));
  await Promise.all(paths.map((path, index) => writeFile(path, JSON.stringify(documents[index]))));
  const [code] = await once(spawn('sh', ['-c', CHECK, PROGRAM, ...paths]), 'exit');
  assert.equal(code, 0);
  return Promise.all(
    paths.map(async (path) => ({
      good: (await readFile(`${path}.code`, 'utf8')) === '0\n',
      said: await readFile(`${path}.said`, 'utf8'),
    })),
  );
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const keysOf = (value) => (isObject(value) ? Object.keys(value) : []);
const isServer = (document) =>
  keysOf(document).join() === 'mcpServers' && keysOf(document.mcpServers).join() === 'a' && isObject(document.mcpServers.a);
const isGateway = (document) => keysOf(document).join() === 'servers,gateway' && keysOf(document.gateway).length === 1;
const placesOf = (said) => Array.from(said.matchAll(/: error: ([\w.]+)/g), ([, place]) => `${place}.`);

// A file for many documents, because a program takes long to start: servers have different names here, and keys of the
// gateway differ.
class SharedFile {
  content = { mcpServers: { z: { command: 'x' } }, gateway: {} };
  #places = new Map();

  // Whether there is room.
  add(document) {
    if (isServer(document)) return this.#put(document, 'mcpServers', `a${this.#places.size}`, document.mcpServers.a);
    const [[key, value]] = Object.entries(document.gateway);
    return !(key in this.content.gateway) && this.#put(document, 'gateway', key, value);
  }

  #put(document, section, key, value) {
    this.content[section][key] = value;
    this.#places.set(document, `${section}.${key}.`);
    return true;
  }

  // The documents that are known to be good, as all are, or bad, as an error names their place.
  known({ good, said }) {
    const errors = placesOf(said);
    const isKnown = ([, place]) => good || errors.some((error) => error.startsWith(place));
    return [...this.#places].filter(isKnown).map(([document]) => [document, { good, said }]);
  }
}

async function checkTogether(documents) {
  const shared = [];
  for (const document of documents.filter((one) => isServer(one) || isGateway(one))) {
    if (shared.some((file) => file.add(document))) continue;
    shared.push(new SharedFile());
    shared.at(-1).add(document);
  }
  const checked = await checkFiles(shared.map(({ content }) => content));
  return new Map(shared.flatMap((file, index) => file.known(checked[index])));
}

// A document of which the shared file tells nothing has a file of its own.
async function checkAll(documents) {
  const known = await checkTogether(documents);
  const alone = documents.filter((document) => !known.has(document));
  const checked = await checkFiles(alone);
  alone.forEach((document, index) => known.set(document, checked[index]));
  return documents.map((document) => known.get(document));
}

const program = (members) => ({ mcpServers: { a: { command: 'x', ...members } } });
const remote = (members) => ({ mcpServers: { a: { url: 'http://h', ...members } } });
const gateway = (members) => ({ servers: { a: { command: 'x' } }, gateway: members });
const named = (name) => ({ mcpServers: { [name]: { command: 'x' } } });
const each = (make, key, values) => values.map((value) => make({ [key]: value }));

const durations = [1, 0.001, 999999999, '500ms', '30s', '1.5m', '1h', '0.001ms', '999999999s', '99999h', '007s'];
const noDurations = [-1, 1e9, '', '5', 's', '-5s', '.5s', '5.s', '5 s', '1e3s', '5S', '5d', '0.0001s', '1000000000s', '100000h', '1.2.3s', null, true, [], {}];
const zeros = [0, '0s', '0.0ms', '000h'];

const urls = ['http://h', 'https://h/', 'HTTPS://h', 'http://h:1/p?q=a%20b&c', 'http://h?q', 'http://h:65535/a@b', 'http://[::1]:80/', 'http://127.0.0.1', 'http://${TROUPE_NOT_SET:-h}/', '${TROUPE_NOT_SET:-http://h}'];
const noUrls = ['', 'h', 'http:', 'http://', 'http:///p', 'ftp://h', 'http://u@h/', 'http://u:p@h/', 'http://h:/', 'http://h:0/', 'http://h:01/', 'http://h:65536/', 'http://h:99999', 'http://h/#f', 'http://h/a b', 'http://[::1', 'http://[]/', 'http://[::g]/', 'http://[::1]x/', 'http://é/', 'http://h/\u0000', 1, null];

const KEY = 'k'.repeat(16);
const NODE = { node: 'a', key: KEY };
const clusters = [
  NODE,
  { ...NODE, node: 'A.b_c-9'.repeat(9).slice(0, 64), unknown: 1 },
  { ...NODE, node: '${TROUPE_NOT_SET:-a}' },
  ...['127.0.0.1:7946', 'localhost:0', '[::1]:65535', '${TROUPE_NOT_SET:-127.0.0.1}:1'].map((listen) => ({ ...NODE, listen })),
  { ...NODE, listen: '0.0.0.0:7946', advertise: 'node-1:7946', plain: true },
  ...['localhost:1', '[::1]:1'].map((advertise) => ({ ...NODE, advertise })),
  ...['a:1', 'a:1,[::1]:2,10.0.0.1:3', [], ['a:1', 'b:2,c:3'], '${TROUPE_NOT_SET:-a:1,b:2}'].map((join) => ({ ...NODE, join })),
  { ...NODE, tls: {} },
  { ...NODE, tls: { cert: '/dev/null', key: '/dev/null', ca: '/dev/null' } },
  ...[[KEY], ['a', 'b', 'c', '${TROUPE_NOT_SET:-d}'].map((letter) => letter.repeat(16))].map((key) => ({ ...NODE, key })),
  ...[0.2, 300, '200ms', '5m', '0.2s'].map((heartbeat) => ({ ...NODE, heartbeat })),
  ...['redis://h', 'rediss://h', 'redis://u:p@h', 'redis://:p%2Fw@[::1]:6379/15', 'redis://h:65535/', '${TROUPE_NOT_SET:-redis://h}'].map((store) => ({ ...NODE, store })),
  { ...NODE, store: 'rediss://h', storeCa: '/dev/null' },
];

const admins = [
  {},
  { x: 1 },
  { open: true },
  { listen: '[::1]:1', open: false },
  ...['127.0.0.1:9464', 'localhost:0', '[::1]:65535', 'unix:/run/troupe.sock', 'unix:s', '${TROUPE_NOT_SET:-unix:s}'].map((listen) => ({ listen })),
];

const traced = (more) => ({ endpoint: 'http://h/v1/traces', ...more });
const traces = [
  ...urls.map((endpoint) => ({ endpoint })),
  traced({ headers: { Authorization: 'Bearer ${TROUPE_NOT_SET:-x}', A: '' }, serviceName: 's', x: 1 }),
  ...[0, 0.01, 1, 1e-3].map((ratio) => traced({ ratio })),
  ...['always_on', 'traceidratio', 'parentbased_traceidratio'].map((sampler) => traced({ sampler })),
];

const good = [
  ...each(gateway, 'traces', traces),
  ...each(gateway, 'admin', admins),
  ...each(gateway, 'cluster', clusters),
  ...each(program, 'recovery', ['none']),
  { mcpServers: { a: { command: 'x', recovery: 'restore' } }, gateway: { cluster: { ...NODE, store: 'redis://h' } } },
  program({}),
  remote({}),
  { servers: { a: { command: 'x' } } },
  { mcpServers: {}, servers: { a: { command: 'x' } } },
  { $schema: 'x', inputs: [], mcpServers: { a: { command: 'x' } }, unknown: 1 },
  ...['a', 'my server.1', 'é'.repeat(64), '😀'.repeat(64), '...', ' '].map(named),
  ...each(program, 'args', [[], ['', 'a']]),
  ...each(program, 'env', [{}, { A: 'x', B: 1, C: true, 'a b': '' }]),
  ...each(program, 'type', ['stdio', 'local']),
  ...each(program, 'headers', [{ A: 'x' }]),
  ...each(remote, 'args', [['a']]),
  ...each(remote, 'type', ['http', 'remote', 'streamable-http', 'streamableHttp', 'streamable_http', 'sse']),
  ...each(remote, 'transport', ['http', 'streamable-http', 'streamableHttp', 'sse']),
  ...each(remote, 'url', urls),
  ...each(remote, 'headers', [{}, { Authorization: 'Bearer x', 'X-Host': 'é', Cookie: '', A: '\t', "!#$%&'*+-.^_`|~": '' }]),
  ...each(remote, 'connections', [1, 10_000]),
  ...each(program, 'sharing', ['session', 'shared', 'pool', 'principal']),
  ...each(program, 'affinity', ['principal', 'none', 'header']),
  ...each(program, 'era', ['auto', 'legacy', 'modern']),
  ...each(program, 'poolSize', [1, 100, 2.0, 5e1]),
  ...each(program, 'timeout', [...durations, { request: 1000, startup: 1 }, {}]),
  ...each(program, 'restart', [true, false, {}, { firstDelay: '1s', longestDelay: 2, attempts: 1000, steady: 1, rest: 1, x: 1 }]),
  ...each(program, 'tools', [{}, { allow: [], deny: ['a*'] }, { x: 1 }, [], ['*'], ['a']]),
  ...['includeTools', 'excludeTools', 'enabledTools', 'disabledTools'].flatMap((key) => each(program, key, [[], ['a']])),
  ...each(program, 'envFile', ['/dev/null']),
  ...each(program, 'command', [['x', ''], { path: 'x', args: ['a'], env: { A: 'x' } }]),
  ...['serverUrl', 'httpUrl', 'baseUrl', 'uri'].map((key) => ({ mcpServers: { a: { [key]: 'http://h' } } })),
  ...['context_servers', 'mcp.servers', 'amp.mcpServers', 'mcp_servers', 'mcp'].map((key) => ({ [key]: { a: { command: 'x' } } })),
  { mcp: { servers: { a: { command: 'x' } }, inputs: [] } },
  { mcpServers: [{ name: 'a', command: 'x' }] },
  { mcpServers: { a: { command: 'x' }, b: { source: 'extension', settings: {} }, c: { enabled: false } } },
  ...each(program, 'prefix', ['', 'a', 'A-b_9', 'a'.repeat(64), null, false]),
  ...['autoApprove', 'alwaysAllow', 'description', 'gallery', 'version', 'dev', 'trust', 'settings', 'unknown'].map((key) => program({ [key]: {} })),
  ...['enabled', 'eager', 'essential'].flatMap((key) => each(program, key, [true])),
  ...each(program, 'disabled', [false]),
  gateway({}),
  ...each(gateway, 'host', ['::1', 'name']),
  ...each(gateway, 'port', [0, 65535]),
  ...each(gateway, 'allowOrigins', [[], ['*']]),
  ...['mcpPaths', 'ssePaths', 'messagePaths', 'healthPaths'].flatMap((key) => each(gateway, key, [[], ['/a', '/b/c.d~']])),
  ...each(gateway, 'threads', [1, 1024]),
  ...each(gateway, 'maxBody', [1, 2 ** 30]),
  ...each(gateway, 'maxSessions', [1, 1e7]),
  ...['sessionTimeout', 'abandonedTimeout', 'leaseTime', 'requestTimeout', 'initializeTimeout', 'listPatience', 'upgradeTime'].flatMap((key) => each(gateway, key, ['1s'])),
  ...['grace', 'streamTime', 'instructionsPatience'].flatMap((key) => each(gateway, key, [...zeros, ...durations])),
  ...each(gateway, 'debugState', [true, false]),
  ...each(gateway, 'log', [{}, { level: 'debug', format: 'json' }, { x: 1 }]),
  ...each(gateway, 'accessLog', [{ file: '-' }, { file: '/tmp/a.log', format: 'text' }, { file: 'a', x: 1 }]),
];

const badClusters = [
  1,
  [],
  {},
  { key: KEY },
  { node: 'a' },
  { ...NODE, keyFile: 'mcp.key' },
  ...['', 'a b', 'a/b', 'é', 'a'.repeat(65), 1].map((node) => ({ ...NODE, node })),
  ...['', 'a', 'a:', ':1', '::1:7946', 'a:65536', 'a:01', 'a:1,b:2', 'a b:1', 1].map((listen) => ({ ...NODE, listen })),
  ...['a', 'a:0', '0.0.0.0:7946', '[::]:7946', 'a:1,b:2', 1].map((advertise) => ({ ...NODE, plain: true, advertise })),
  ...['', 'a', 'a:1,', 'a:1, b:2', 'a:0', 'a:1,0.0.0.0:2', 1, ['a:1', 2], ['a']].map((join) => ({ ...NODE, join })),
  ...['', 'k'.repeat(15), 1, [], [KEY, 'k'.repeat(15)], [KEY, KEY], [KEY, 1]].map((key) => ({ ...NODE, key })),
  { ...NODE, key: ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(16)) },
  ...['', 1].map((keyFile) => ({ node: 'a', keyFile })),
  ...[1, [], { cert: '/dev/null' }, { cert: '/dev/null', key: '/dev/null' }].map((tls) => ({ ...NODE, tls })),
  ...[1, 'yes'].map((plain) => ({ ...NODE, plain })),
  ...[0, 0.1, 301, '0s', 'x', null].map((heartbeat) => ({ ...NODE, heartbeat })),
  ...['', 'h', 'redis://', 'rediss:/h', 'redis://u@h', 'redis://u:@h', 'redis://:@h', 'redis://h:0', 'redis://h/x', 'redis://:a/b@h', 1].map((store) => ({ ...NODE, store })),
  { ...NODE, store: 'rediss://h', storeCa: '' },
];

const badAdmins = [
  1,
  [],
  null,
  ...['', 'a', 'a:', ':1', '::1:9464', 'a:65536', '9464', 'unix:', 'http://a:1', 1, null].map((listen) => ({ listen })),
  ...['', 1, null].map((tokenFile) => ({ tokenFile })),
  ...['yes', 1, null].map((open) => ({ open })),
];

const badTraces = [
  1,
  [],
  null,
  ...noUrls.map((endpoint) => ({ endpoint })),
  ...[[], { A: 1 }, { A: 'a\r\nb' }, { 'A b': '' }, { 'Content-Type': '' }].map((headers) => traced({ headers })),
  ...[-0.1, 1.1, '1', null, true].map((ratio) => traced({ ratio })),
  ...['', 'sometimes', 1, null].map((sampler) => traced({ sampler })),
  ...['', 1, null].map((serviceName) => traced({ serviceName })),
  ...['', 1, null].map((caFile) => traced({ caFile })),
];

const strings = [1, null, true, [], {}];
const bad = [
  ...each(gateway, 'admin', badAdmins),
  ...each(gateway, 'cluster', badClusters),
  ...each(gateway, 'traces', badTraces),
  ...each(program, 'recovery', ['always', '', 1, null, true]),
  [],
  1,
  {},
  { mcpServers: {} },
  { mcpServers: [], servers: {} },
  { mcpServers: 1 },
  { mcpServers: { a: 1 } },
  { mcpServers: { a: {} } },
  { mcpServers: { a: { command: 'x' } }, servers: 1 },
  program({ url: 'http://h' }),
  ...['', '.', '..', 'a/b', 'a\n', '\u007f', 'a'.repeat(65), 'é'.repeat(65)].map(named),
  ...['command', 'cwd'].flatMap((key) => each(program, key, ['', 'a\u0000', ...strings])),
  ...each(program, 'args', ['x', [1], [null], ['\u0000'], {}]),
  ...each(program, 'env', [[], 'x', { A: null }, { A: [] }, { '': '' }, { 'A=': '' }, { A: '\u0000' }]),
  ...each(program, 'type', ['http', 'streamable-http', 'sse', 'ws', '', 1, null]),
  ...each(program, 'transport', ['http', 'x']),
  ...each(remote, 'type', ['stdio', 'ws']),
  ...each(remote, 'transport', ['stdio', 'ws']),
  remote({ type: 'http', transport: 'stdio' }),
  ...each(remote, 'url', noUrls),
  ...each(remote, 'headers', [[], { A: 1 }, { A: 'a\r\nb' }, { A: '\u007f' }, { A: '\u0000' }, { 'A b': '' }, { '': '' }, { é: '' }, { host: '' }, { 'Content-LENGTH': '' }, { 'mcp-session-id': '' }, { 'Mcp-Param-X': '' }, { Upgrade: '' }, { TE: '' }]),
  ...each(remote, 'connections', [0, 10_001, 1.5, '1']),
  ...each(program, 'sharing', ['all', '', 1, null, { mode: 'pool' }]),
  ...each(program, 'affinity', ['caller', '', 1, null, {}]),
  ...each(program, 'era', ['automatic', '2026-07-28', '', 1, null, {}]),
  ...each(program, 'poolSize', [0, 101, 1.5, -1, '1', null]),
  ...each(program, 'timeout', [...noDurations.filter((one) => JSON.stringify(one) !== '{}'), ...zeros, { request: 0 }]),
  ...each(program, 'restart', [1, 'yes', null, [], { attempts: 0 }, { attempts: 1001 }, { firstDelay: 0 }, { steady: 'x' }]),
  ...['includeTools', 'disabledTools'].flatMap((key) => each(program, key, ['a', {}, [1], ['']])),
  ...each(program, 'envFile', ['', 1]),
  { mcpServers: [{ command: 'x' }] },
  program({ httpUrl: 'http://h' }),
  { mcpServers: { a: { serverUrl: 'h' } } },
  ...each(program, 'tools', [1, [1], { allow: 'x' }, { deny: [1] }, { allow: [''] }]),
  ...each(program, 'prefix', [true, 1, 'a.b', 'é', 'a'.repeat(65), []]),
  ...['disabled', 'enabled', 'eager', 'essential'].flatMap((key) => each(program, key, [1, 'true', null])),
  gateway(1),
  gateway([]),
  ...each(gateway, 'host', ['', 1]),
  ...each(gateway, 'port', [-1, 65536, 1.5, '80']),
  ...each(gateway, 'allowOrigins', ['*', [''], [1]]),
  ...each(gateway, 'mcpPaths', ['/a', [1], [''], ['/'], ['a'], ['/a/'], ['/a?b'], ['/a#b'], ['/a%20'], ['/a b'], [`/${'a'.repeat(256)}`]]),
  ...each(gateway, 'threads', [0, 1025]),
  ...each(gateway, 'maxBody', [0, 2 ** 30 + 1]),
  ...each(gateway, 'maxSessions', [0, 1e7 + 1]),
  ...['sessionTimeout', 'abandonedTimeout', 'leaseTime', 'requestTimeout', 'initializeTimeout', 'listPatience', 'upgradeTime'].flatMap((key) => each(gateway, key, [0, 'x'])),
  ...['grace', 'streamTime', 'instructionsPatience'].flatMap((key) => each(gateway, key, noDurations)),
  ...each(gateway, 'debugState', [1, 'on']),
  ...each(gateway, 'log', [1, { level: 'loud' }, { format: 'xml' }]),
  ...each(gateway, 'accessLog', [1, {}, { file: '' }, { file: 1 }, { file: '-', format: 'xml' }]),
];

async function expectAll(documents, expected) {
  const checked = await checkAll(documents);
  documents.forEach((document, index) => expect(document, checked[index], expected));
}

function expect(document, { good: accepted, said }, expected) {
  const shown = JSON.stringify(document);
  assert.equal(accepted, expected, `the program about ${shown}: ${said}`);
  assert.equal(agrees(document), expected, `the schema about ${shown}: ${JSON.stringify(agrees.errors)}`);
}

test(`the schema and the program take ${good.length} files`, () => expectAll(good, true));
test(`the schema and the program refuse ${bad.length} files`, () => expectAll(bad, false));
