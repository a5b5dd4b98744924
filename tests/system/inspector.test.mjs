// The command line of the Inspector with the merged endpoint.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serveConfig } from './lib/config.mjs';
import { everything, fixture, nodeProgram } from './lib/gateway.mjs';

const here = (path) => fileURLToPath(new URL(`./node_modules/${path}`, import.meta.url));
const INSPECTOR = [process.execPath, here('.bin/mcp-inspector'), '--cli'];
// The Inspector starts the first node program in PATH.
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
// The program that the Inspector runs for --cli, started directly to save a process.
const ITS_CLI = nodeProgram(here('@modelcontextprotocol/inspector/cli/build/index.js'));
const LIMIT = 60_000;

const entry = ([command, ...args]) => ({ command, args });
const SERVERS = {
  everything: entry(everything),
  one: entry(fixture('merged', JSON.stringify({ label: 'one' }))),
  dead: entry(['/no/such/command']),
};

// Resolves with the exit code and the output.
function run([program, ...before], url, transport, method, ...args) {
  const line = [...before, url, '--transport', transport, '--method', method, ...args];
  return new Promise((resolve) => {
    execFile(program, line, { env: { ...process.env, PATH }, timeout: LIMIT }, (error, out, complaint) =>
      resolve({ code: error ? error.code : 0, out, complaint }),
    );
  });
}

suite('the Inspector and several servers', { concurrency: 4 }, () => {
  let gateway;
  before(async () => (gateway = await serveConfig({ mcpServers: SERVERS, gateway: { listPatience: '60s' } })));
  after(() => gateway.stop());

  async function inspectBy(program, method, ...args) {
    const { code, out, complaint } = await run(program, gateway.url, 'http', method, ...args);
    assert.equal(code, 0, complaint);
    return JSON.parse(out);
  }

  const inspect = (method, ...args) => inspectBy(ITS_CLI, method, ...args);

  test('list the tools of all of them', async () => {
    const { tools } = await inspectBy(INSPECTOR, 'tools/list');
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('everything__get-sum'), String(names));
    assert.equal(names.at(-1), 'one__tool-1');
    assert.ok(tools.every(({ inputSchema }) => inputSchema.type === 'object'));
  });

  test('call tools of any of them', async () => {
    const args = ['--tool-arg', 'a=2', '--tool-arg', 'b=40'];
    const { content } = await inspect('tools/call', '--tool-name', 'everything__get-sum', ...args);
    assert.match(content[0].text, /42/);
    const { content: other } = await inspect('tools/call', '--tool-name', 'one__tool-1');
    assert.equal(JSON.parse(other[0].text).label, 'one');
  });

  test('fail for a tool that none of them has', async () => {
    const { code, complaint } = await run(ITS_CLI, gateway.url, 'http', 'tools/call', '--tool-name', 'nobody__tool');
    assert.notEqual(code, 0);
    assert.match(complaint, /-32602.*Unknown tool: nobody__tool/);
  });

  test('list resources and templates of all of them, and read them', async () => {
    const { resources } = await inspect('resources/list');
    const { uri } = resources.at(-1);
    assert.equal(uri, 'troupe://one/test://resource/1');
    assert.ok(resources.some((one) => one.uri.startsWith('troupe://everything/demo://')));
    assert.deepEqual(await inspect('resources/read', '--uri', uri), { contents: [{ uri, text: 'one' }] });
    const { resourceTemplates } = await inspect('resources/templates/list');
    assert.equal(resourceTemplates.at(-1).uriTemplate, 'troupe://one/test://template/1/{id}');
  });

  test('list prompts of all of them, and fill them in', async () => {
    const { prompts } = await inspect('prompts/list');
    assert.ok(prompts.some(({ name }) => name === 'everything__simple-prompt'));
    assert.equal(prompts.at(-1).name, 'one__prompt-1');
    const args = ['--prompt-args', 'city=Bonn', '--prompt-args', 'state=NRW'];
    const { messages } = await inspect('prompts/get', '--prompt-name', 'everything__args-prompt', ...args);
    assert.match(messages[0].content.text, /Bonn, NRW/);
  });

  test('agree on a level to log at', async () =>
    assert.deepEqual(await inspect('logging/setLevel', '--log-level', 'error'), {}));

  test('get on over HTTP+SSE, and with one of them alone', async () => {
    for (const [path, transport, name] of [
      ['/sse', 'sse', 'one__tool-1'],
      ['/servers/one/mcp', 'http', 'tool-1'],
      ['/servers/one/sse', 'sse', 'tool-1'],
    ]) {
      const { code, out, complaint } = await run(ITS_CLI, gateway.at(path), transport, 'tools/list');
      assert.equal(code, 0, complaint);
      assert.equal(JSON.parse(out).tools.at(-1).name, name);
    }
  });
});
