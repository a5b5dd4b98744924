// The terminal output of a starting gateway, and the log output instead of it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exampleServer } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';
import { onTerminal, onTerminalWith } from './lib/terminal.mjs';
import { until } from './lib/until.mjs';

const quoted = (words) => words.map((word) => `'${word}'`).join(' ');
const ESCAPE = '\x1b[';

async function shown(t, screen) {
  await until('the gateway says how it ends', () => screen.drawn.includes('Ctrl-C ends it'));
  screen.press('\x03');
  await screen.ended;
  return screen.drawn.replaceAll('\r', '');
}

test('a terminal shows the servers, where they are, who comes in, and what clients take', async (t) => {
  const drawn = await shown(t, onTerminal(t, 'serve', '--port', '0', '--', quoted(exampleServer)));
  const [, url] = /^ {2}(http:\S+\/mcp) +the server$/m.exec(drawn);
  assert.match(drawn, /^Troupe \d+\.\d+\.\d+ serves 1 server:$/m);
  assert.match(drawn, /^Whoever is on this machine comes in\.$/m);
  assert.ok(drawn.includes(`claude mcp add --transport http troupe ${url}\n`), drawn);
  assert.ok(drawn.includes(`{"type": "http", "url": "${url}"}`), drawn);
  assert.ok(drawn.includes(`"args": ["connect", "${url}"]`), drawn);
  assert.ok(drawn.includes('status=0'), drawn);
});

test('a terminal shows servers of a file by their names, and nothing of them that may be secret', async (t) => {
  const file = join(scratch(), 'mcp.json');
  const [command, ...args] = exampleServer;
  const mcpServers = {
    first: { command, args: [...args, 'swordfish'] },
    second: { url: 'http://127.0.0.1:9/swordfish/mcp' },
  };
  writeFileSync(file, JSON.stringify({ mcpServers, gateway: { port: 0, admin: { listen: '127.0.0.1:0' } } }));
  const place = { XDG_RUNTIME_DIR: scratch() };
  const drawn = await shown(t, onTerminalWith(t, place, 'serve', '--config', file));
  assert.match(drawn, /^ {2}first +\S*fixture-server$/m);
  assert.match(drawn, /^ {2}second +127\.0\.0\.1$/m);
  assert.match(drawn, /\/servers\/NAME\/mcp +one of them$/m);
  assert.match(drawn, /^ {2}http:\S+\/ +the console, for operators; it asks for the token in \S+\.token$/m);
  assert.ok(!drawn.includes('swordfish'), drawn);
});

test('where a key is needed, what clients take has its place', async (t) => {
  const keys = join(scratch(), 'keys');
  writeFileSync(keys, '');
  const flags = ['serve', '--port', '0', '--host', '0.0.0.0', '--keys', keys, '--', quoted(exampleServer)];
  const drawn = await shown(t, onTerminal(t, ...flags));
  assert.ok(drawn.includes(`Who has a key of ${keys} comes in.`), drawn);
  assert.match(drawn, /troupe http:\/\/127\.0\.0\.1:\d+\/mcp --header "Authorization: Bearer KEY"$/m);
  assert.ok(drawn.includes('"headers": {"Authorization": "Bearer KEY"}'), drawn);
  assert.ok(drawn.includes('"--header", "Authorization: Bearer KEY"]'), drawn);
});

test('levels of the log have colours on a terminal, unless NO_COLOR says otherwise', async (t) => {
  const flags = ['serve', '--port', '0', '--', quoted(exampleServer)];
  const coloured = await shown(t, onTerminal(t, ...flags));
  assert.ok(coloured.includes(`${ESCAPE}32minfo${ESCAPE}0m`), coloured);
  const plain = await shown(t, onTerminalWith(t, { NO_COLOR: '1' }, ...flags));
  assert.match(plain, / info draining /);
  assert.ok(!plain.includes(ESCAPE), plain);
});

test('a log in JSON stays one on a terminal', async (t) => {
  const screen = onTerminal(t, 'serve', '--port', '0', '--log-format', 'json', '--', quoted(exampleServer));
  await until('the gateway listens', () => screen.drawn.includes('"msg":"listening"'));
  screen.press('\x03');
  await screen.ended;
  assert.ok(!screen.drawn.includes('What clients take'), screen.drawn);
});
