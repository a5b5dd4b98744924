// `troupe import` and `troupe init`: from the files of clients to running servers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawn, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { PROGRAM } from './lib/gateway.mjs';
import { scratch } from './lib/scratch.mjs';

// A home with these files, by their paths in it, and a project in `~/project`.
function machine(files) {
  const home = scratch();
  for (const [path, content] of Object.entries({ 'project/.keep': '', ...files })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return home;
}

// Runs the program as that user, in the project.
async function run(home, args, variables = {}) {
  const env = { HOME: home, PATH: process.env.PATH, ...variables };
  const child = spawn(PROGRAM, args, { cwd: join(home, 'project'), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code };
}

const example = { command: PROGRAM, args: ['example-server'] };
const SECRET = 'ghp_0123456789abcdefghij';
const everywhere = {
  '.config/Claude/claude_desktop_config.json': { globalShortcut: '', mcpServers: { echo: example } },
  '.claude.json': { numStartups: 1, mcpServers: { echo: { type: 'stdio', ...example, env: { WHO: 'code' } } } },
  '.cursor/mcp.json': { mcpServers: { echo: example, gone: { ...example, disabled: true } } },
  '.gemini/settings.json': { theme: 'x', mcpServers: { remote: { httpUrl: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${SECRET}` } } } },
  '.config/zed/settings.json': '// mine\n{"vim_mode": true, "context_servers": {"zed": {"command": {"path": "true", "args": [], "env": {}}, "settings": {}},},}',
  '.codex/config.toml': 'model = "x"\n[mcp_servers.codex]\ncommand = "true"\ntool_timeout_sec = 45\n',
  '.codeium/windsurf/mcp_config.json': '',
  '.config/goose/config.yaml': 'extensions:\n  fetch:\n    cmd: uvx\n    type: stdio\n',
  '.continue/config.yaml': 'name: Mine\nmodels: []\n',
  'project/.vscode/mcp.json': { servers: { here: { command: 'true', args: ['${workspaceFolder}', '${input:a-key}'] } } },
  '.config/Code/User/settings.json': { 'editor.fontSize': 14 },
};

test('the files of all clients on a machine become one that is good', async (t) => {
  const home = machine(everywhere);
  const { out, err, code } = await run(home, ['import']);
  assert.equal(code, 0, err);
  const { mcpServers } = JSON.parse(out);
  assert.deepEqual(Object.keys(mcpServers).sort(), ['codex', 'echo', 'echo-claude-code', 'here', 'remote', 'zed']);
  assert.deepEqual(mcpServers.here, { command: 'true', args: [join(home, 'project'), '${A_KEY}'], cwd: join(home, 'project') });
  for (const said of ['gone: left out, it is switched off', 'taken as `echo-claude-code`', 'the same as `echo` of Claude Desktop', '1 value looks secret', 'goose/config.yaml: is YAML, which is not read', 'not set here: A_KEY', '6 servers from 7 files'])
    assert.ok(err.includes(said), `${said}\n${err}`);
  assert.ok(!err.includes(SECRET) && !err.includes('editor.fontSize') && !err.includes('.continue'), err);
  const file = join(home, 'mcp.json');
  writeFileSync(file, out, { mode: 0o600 });
  const checked = await run(home, ['check', file], { A_KEY: 'x' });
  assert.deepEqual([checked.out, checked.code], ['6 servers, no problems\n', 0]);
  process.env.A_KEY = 'x';
  t.after(() => delete process.env.A_KEY);
  const gateway = await gatewayWith(t, out);
  const { client } = await connect(t, gateway.at('/servers/echo-claude-code/mcp'));
  const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
  assert.equal(content[0].text, 'hi');
});

test('secrets go to a file of their own that nobody else can read', async () => {
  const home = machine(everywhere);
  const secrets = join(home, 'secrets.env');
  const { out, err, code } = await run(home, ['import', '--extract-secrets', secrets]);
  assert.equal(code, 0, err);
  assert.ok(!out.includes(SECRET) && !err.includes(SECRET) && !err.includes('looks secret'), err);
  assert.equal(JSON.parse(out).mcpServers.remote.headers.Authorization, 'Bearer ${MCP_REMOTE_AUTHORIZATION}');
  assert.equal(readFileSync(secrets, 'utf8'), `MCP_REMOTE_AUTHORIZATION='${SECRET}'\n`);
  assert.equal(statSync(secrets).mode & 0o777, 0o600);
  const again = await run(home, ['import', '--extract-secrets', secrets]);
  assert.deepEqual([again.code, again.out], [1, '']);
  assert.match(again.err, /--extract-secrets: .* is there already/);
});

test('--list only says what is there', async () => {
  const home = machine(everywhere);
  const { out, err, code } = await run(home, ['import', '--list']);
  assert.equal(code, 0, err);
  assert.match(out, /\.codex\/config\.toml \(Codex\): 1 server\n {2}codex: /);
  assert.equal(out.includes('settings.json (VS Code)'), false);
});

test('files that are named are read alone, and what is wrong with them is told', async () => {
  const home = machine({ ...everywhere, 'project/notes.yaml': 'name: x\nmcpServers:\n  - name: a\n', 'project/bad.json': '{' });
  const { out, code } = await run(home, ['import', '../.cursor/mcp.json', '../.codex/config.toml']);
  assert.deepEqual([Object.keys(JSON.parse(out).mcpServers), code], [['echo', 'codex'], 0]);
  for (const [file, why] of [['notes.yaml', 'is YAML'], ['bad.json', 'is no valid JSON'], ['none.json', 'No such file']]) {
    const refused = await run(home, ['import', file, '../.cursor/mcp.json']);
    assert.equal(refused.code, 1);
    assert.ok(refused.err.includes(`${file}: ${why}`), refused.err);
  }
});

test('a pipe in the place of a file is not waited for', async () => {
  const home = machine({ '.cursor/mcp.json': everywhere['.cursor/mcp.json'] });
  assert.equal(spawnSync('mkfifo', [join(home, 'project', '.mcp.json')]).status, 0);
  const { out, err, code } = await run(home, ['import']);
  assert.deepEqual([Object.keys(JSON.parse(out).mcpServers), code], [['echo'], 0]);
  assert.match(err, /\.mcp\.json: Operation not supported/);
});

test('a file that cannot be read is told of, and that nothing was taken', async () => {
  const home = machine({ 'broken.json': '{"mcpServers":' });
  const { out, err, code } = await run(home, ['import', join(home, 'broken.json')]);
  assert.deepEqual([out, code], ['', 1]);
  assert.match(err, /broken\.json: .+\ntroupe: none of these files has servers that can be read\n$/);
});

test('a machine without clients is told so', async () => {
  const { out, err, code } = await run(machine({}), ['import']);
  assert.deepEqual([out, err, code], ['', 'troupe: no file of a client was found\n', 1]);
});

test('a first file is written once, is good, and is served', async (t) => {
  const home = machine({});
  const file = join(home, 'project', 'mcp.json');
  const written = await run(home, ['init']);
  assert.equal(written.code, 0, written.err);
  assert.match(written.out, /serve --config mcp\.json/);
  assert.match(written.out, /http:\/\/127\.0\.0\.1:8080\/mcp/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual((await run(home, ['check', 'mcp.json'])).out, '1 server, no problems\n');
  const before = readFileSync(file, 'utf8');
  const again = await run(home, ['init', 'mcp.json']);
  assert.deepEqual([again.code, again.err], [1, 'troupe: mcp.json is there already, it is left as it is\n']);
  assert.equal(readFileSync(file, 'utf8'), before);
  const gateway = await gatewayWith(t, before);
  const { client } = await connect(t, gateway.url);
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'echo'));
});

test('a first file has the server that is named', async () => {
  const home = machine({});
  const { code, err } = await run(home, ['init', 'other.json', '--', 'sh', '-c', 'exit "1"']);
  assert.equal(code, 0, err);
  assert.match(readFileSync(join(home, 'project', 'other.json'), 'utf8'), /"sh": \{"command": "sh", "args": \["-c", "exit \\"1\\""\]\}/);
  assert.ok(!existsSync(join(home, 'project', 'mcp.json')));
  assert.match((await run(home, ['init', 'none/mcp.json'])).err, /^troupe: none\/mcp\.json /);
});
