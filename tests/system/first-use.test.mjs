// The three first uses of the page "Getting started", each from scratch, until an official client has called a tool.
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connect } from './lib/client.mjs';
import { isRun } from './lib/not-run.mjs';
import { commandsIn, fileNameOf, readPage } from './lib/page.mjs';
import { assertDone, Reader } from './lib/page-reader.mjs';
import { until } from './lib/until.mjs';

const MINUTES = 10;
const MOST_COMMANDS = 6;
const MOST_FILES = 2;
const page = readPage('start.md');

const textIn = ({ content }) => content[0].text;
const isForClient = ({ command }) => command.startsWith('claude mcp add ');

// A reader with one part of the page.
class FirstUse {
  static async begin(t, part) {
    const one = new FirstUse();
    Object.assign(one, { t, part, blocks: page.get(part), commands: 0, files: 0, began: Date.now() });
    one.reader = await Reader.begin(t);
    return one;
  }

  // Follows the next block, from the command that begins like this. `around` as in lib/followed.mjs.
  async follow(language, around = {}) {
    const block = this.blocks.shift();
    assert.equal(block?.language, language, this.part);
    if (language !== 'sh') return this.#paste(block);
    const said = [];
    for (const one of commandsIn(block)) {
      ++this.commands;
      if (isForClient(one)) this.url = this.reader.here(one.command.split(' ').at(-1));
      if (!isRun('start.md', one)) continue;
      const special = Object.keys(around).find((begin) => one.command.startsWith(begin));
      const run = () => this.reader.take(one);
      said.push(special ? await around[special](run) : assertDone(await run()));
    }
    return said;
  }

  // Writes a file of the page, or one of a client.
  #paste(block) {
    ++this.files;
    if (fileNameOf(block)) return this.reader.write(block);
    const file = join(this.reader.folder, 'client.json');
    writeFileSync(file, this.reader.here(block.content.replace('gateway.example.com', '127.0.0.1')));
    return JSON.parse(readFileSync(file, 'utf8')).mcpServers;
  }

  // A client has called a tool, which ends the page's part.
  called() {
    const seconds = (Date.now() - this.began) / 1000;
    const what = `${this.commands} commands, ${this.files} files to paste`;
    this.t.diagnostic(`${this.part}: ${what}, ${seconds.toFixed(1)} s`);
    assert.ok(this.commands <= MOST_COMMANDS && this.files <= MOST_FILES, what);
    assert.ok(seconds < MINUTES * 60, `${seconds} s`);
    this.isDone = true;
  }

  end() {
    assert.deepEqual(this.blocks, [], 'all of the part was followed');
    assert.ok(this.isDone);
  }
}

// The official client, connected through a stdio program.
async function desktopClient(t, reader, { command, args }) {
  const client = new Client({ name: 'desktop', version: '1' });
  const surroundings = { env: reader.env, cwd: reader.folder, stderr: 'ignore' };
  await client.connect(new StdioClientTransport({ command, args, ...surroundings }));
  t.after(() => client.close());
  return client;
}

test('one server for Claude on this machine', async (t) => {
  const use = await FirstUse.begin(t, 'One server for Claude on this machine');
  await use.follow('sh');
  await use.follow('sh');
  writeFileSync(join(use.reader.home, 'note.txt'), 'a note');
  const { troupe } = await use.follow('json');
  for (const client of [(await connect(t, use.url)).client, await desktopClient(t, use.reader, troupe)]) {
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_directory'));
    const listed = await client.callTool({ name: 'list_directory', arguments: { path: use.reader.home } });
    assert.match(textIn(listed), /note\.txt/);
  }
  use.called();
  use.end();
});

test('five servers for a team behind a token', async (t) => {
  const use = await FirstUse.begin(t, 'Five servers for a team behind a token');
  await use.follow('sh');
  symlinkSync(fileURLToPath(new URL('node_modules', import.meta.url)), join(use.reader.folder, 'node_modules'));
  await use.follow('jsonc');
  await use.follow('sh');
  const { team } = await use.follow('json');
  await use.follow('sh');
  const key = (await use.reader.run('printf %s "$TROUPE_KEY"')).out;
  const headers = { Authorization: team.headers.Authorization.replace('${TROUPE_KEY}', key) };
  const { client } = await connect(t, team.url, {}, () => {}, headers);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  for (const server of ['files', 'memory', 'thinking', 'everything', 'example'])
    assert.ok(names.some((name) => name.startsWith(`${server}__`)), `${server} of ${names}`);
  for (const text of ['memory__read_graph', 'files__read_file']) assert.ok(names.includes(text), text);
  assert.match(textIn(await client.callTool({ name: 'everything__echo', arguments: { message: 'm' } })), /m$/);
  use.called();
  const { client: other } = await connect(t, team.url.replace('/mcp', '/servers/memory/mcp'), {}, () => {}, headers);
  assert.ok((await other.callTool({ name: 'read_graph', arguments: {} })).content);
  await use.follow('sh', {
    'troupe check': async (run) => {
      const { code, out, err, comment } = await run();
      assert.deepEqual([code, out.trim()], [0, comment], err);
    },
  });
  use.end();
});

const nodesIn = ({ out }) => out.match(/node-\d/g);

test('three nodes', async (t) => {
  const use = await FirstUse.begin(t, 'Three nodes');
  const named = (...names) => async (run) => {
    const told = await until(`${names} are there`, async () => {
      const said = await run();
      return said.code === 0 && String(nodesIn(said)) === String(names) && said;
    });
    for (const name of names) assert.match(told.out, new RegExp(`${name} +serving`));
    return told;
  };
  await use.follow('sh');
  await use.follow('sh', { 'troupe nodes': named('node-1', 'node-2', 'node-3') });
  const { client, transport } = await connect(t, use.url);
  const sum = { name: 'add', arguments: { a: 1, b: 2 } };
  assert.equal(textIn(await client.callTool(sum)), '3');
  use.called();
  for (const n of [1, 3]) {
    const { client: other } = await connect(t, `http://127.0.0.1:${use.reader.port + n}/mcp`);
    assert.equal(textIn(await other.callTool(sum)), '3');
  }
  assert.ok(transport.sessionId);
  await use.follow('sh', { 'troupe nodes': named('node-1', 'node-3') });
  use.end();
});
