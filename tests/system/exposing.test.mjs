// Follows the page "Exposing it" from top to bottom: its commands must do what it says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from './lib/client.mjs';
import { lasting } from './lib/cluster.mjs';
import { apiKey } from './lib/credentials.mjs';
import { refusesConnections } from './lib/http.mjs';
import { startIssuer } from './lib/issuer.mjs';
import { freePort } from './lib/ports.mjs';
import { commandsIn, readPage } from './lib/page.mjs';
import { answerOf, assertAsTold, Reader } from './lib/page-reader.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const AS = 'https://as.example.com';
const GATEWAY = 'https://gateway.example.com';
const section = readPage('exposing.md');
// The blocks of a part in one language.
const blocks = (part, language) => section.get(part).filter((block) => block.language === language);
const isHello = ({ command }) => command.startsWith('hello http');
const modeOf = (path) => statSync(path).mode & 0o777;
const logged = ({ log }, text) => log.filter((line) => line.includes(text));

suite('the page "Exposing it"', () => {
  const t = lasting();
  let reader;
  let issuer;
  before(async () => {
    issuer = await startIssuer(t);
    reader = await Reader.begin(t, { [AS]: issuer.url });
    reader.connect({ 'gateway.example.com:8443': reader.port });
  });
  after(() => t.end());

  // The first line of the output of `troupe key new`.
  const keyOf = (name) => readFileSync(join(reader.folder, name), 'utf8').split('\n')[0];
  const hello = async (path, name) =>
    answerOf(await reader.run(`hello http://127.0.0.1:8080${path} -H "X-API-Key: $(head -n 1 ${name})"`));

  test('nothing begins beyond this machine before somebody says who may come in', async () => {
    const [serve, define] = blocks('', 'sh');
    const [{ command, comment }] = commandsIn(serve);
    const { code, err } = await reader.run(command);
    assert.equal(code, 1, err);
    const [, told] = /^\.\.\. (.*) \.\.\.$/.exec(comment);
    assert.ok(err.includes(told), err);
    await reader.follow(define);
  });

  test('keys', async () => {
    const [make, serve, use] = blocks('Keys', 'sh');
    for (const { code, err } of await reader.follow(make)) assert.equal(code, 0, err);
    for (const name of ['ada', 'bob', 'keys']) assert.equal(modeOf(join(reader.folder, name)), 0o600, name);
    const [gateway] = await reader.follow(serve);
    const session = await openSession(gateway.url, undefined, {}, apiKey(keyOf('ada')));
    const stream = await session.listen();
    const said = await reader.follow(use);
    assert.deepEqual(said.filter(isHello).map((one) => assertAsTold(one).status), [401, 200, 200]);
    assert.equal(said.at(-1).code, 0, said.at(-1).err);
    await until('the key is none', async () => (await hello('/mcp', 'ada')).status === 401);
    await until('its stream ends', () => stream.ended);
    assert.equal((await hello('/mcp', 'bob')).status, 200);
    assert.equal(modeOf(join(reader.folder, 'keys')), 0o600);
  });

  test('the configuration of a client', async (t) => {
    const [{ content }] = blocks('Keys', 'json');
    const { mcpServers: { troupe } } = JSON.parse(content.replace('${TROUPE_KEY}', keyOf('bob')));
    const url = new URL(troupe.url);
    url.port = reader.port;
    const client = new Client({ name: 'system-test', version: '1' });
    t.after(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: troupe.headers } }));
    assert.ok((await client.listTools()).tools.length > 0);
  });

  test('an issuer of tokens', async () => {
    const part = 'An issuer of tokens';
    reader.write(blocks(part, 'jsonc')[0]);
    const [serve, use] = blocks(part, 'sh');
    const [check] = await reader.follow(serve);
    assert.equal(check.out, '1 server, no problems\n');
    const of = (...what) => issuer.machineToken(...what);
    const [path, metadata] = ['/mcp', '/.well-known/oauth-protected-resource/mcp'];
    reader.export({ TOKEN: await of(GATEWAY + path, 'read') });
    const said = await reader.follow(use);
    const [nobody] = said.filter(isHello).map(assertAsTold);
    assert.match(nobody.head, /^WWW-Authenticate: Bearer /m);
    assert.ok(nobody.head.includes(`scope="read", resource_metadata="${GATEWAY}${metadata}"`), nobody.head);
    const document = JSON.parse(said.find((one) => !isHello(one)).out);
    assert.equal(document.resource, GATEWAY + path);
    assert.deepEqual(document.authorization_servers, [issuer.url]);
    const others = [
      [200, await of(GATEWAY, 'read')],
      [200, await of(GATEWAY, 'admin')],
      [401, await of('https://other.example', 'read')],
      [403, await of(GATEWAY, 'write')],
      [403, await of(GATEWAY)],
    ];
    const command = said.filter(isHello).at(-1).command;
    for (const [status, TOKEN] of others) {
      reader.export({ TOKEN });
      const answer = answerOf(await reader.run(command));
      assert.equal(answer.status, status, answer.told);
      if (status === 403) assert.match(answer.head, /error="insufficient_scope".*scope="read"/);
    }
  });

  test('who may what', async () => {
    reader.write(blocks('Who may what', 'jsonc')[0]);
    const [serve, use, check] = blocks('Who may what', 'sh');
    const gateway = (await reader.follow(serve)).at(-1);
    const [byName, byKey, asked] = await reader.follow(check);
    assert.deepEqual([byName.code, byKey.code, asked.code], [0, 0, 1]);
    assert.equal(byKey.out, byName.out, 'by the key as by its name');
    assert.match(byName.out, /^ada, by a key\n.*^server bobs: hidden/ms);
    assert.match(asked.out, /^tool example\/slow: hidden.*\n.*\n {2}tools s\*: .*only for the names ada\n$/m);
    const [his, hers] = (await reader.follow(use)).map(assertAsTold);
    assert.deepEqual([his.status, hers.status], [200, 404]);
    assert.equal((await hello('/servers/no-such/mcp', 'ada')).body, hers.body, 'it is as if it did not exist');

    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) => openSession(gateway.at('/servers/example/mcp'), undefined, {}, apiKey(keyOf(name)))),
    );
    const named = async (session) => {
      const { result } = (await (await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).all())[0];
      return ['add', 'echo', 'slow'].filter((name) => result.tools.some((tool) => tool.name === name));
    };
    assert.deepEqual(await named(ada), ['echo', 'slow']);
    assert.deepEqual(await named(bob), ['add', 'echo']);
    const refused = await ada.post(toolCall(2, 'add', { a: 1, b: 2 }));
    assert.equal(refused.status, 403);
    assert.match(refused.headers['www-authenticate'], /error="insufficient_scope"/);
    const [, scopes] = /scope="([^"]*)"/.exec(refused.headers['www-authenticate']);
    assert.deepEqual(scopes.split(' ').toSorted(), ['read', 'write'], 'all that it needs');
    const [hidden, unknown] = [await bob.call(3, 'slow', {}), await bob.call(3, 'none', {})];
    assert.deepEqual(JSON.parse(JSON.stringify(hidden).replaceAll('slow', 'none')), unknown);
    assert.equal((await bob.call(4, 'add', { a: 1, b: 2 })).result.content[0].text, '3');
    const processes = async () => {
      const open = () => openSession(gateway.at('/servers/bobs/mcp'), undefined, {}, apiKey(keyOf('bob')));
      const sessions = await Promise.all([open(), open()]);
      for (const session of sessions) assert.ok((await session.call(1, 'add', { a: 1, b: 2 })).result);
      return gateway.children().length;
    };
    assert.equal(await processes(), await processes(), 'sessions of one caller have one process');
  });

  test('TLS', async () => {
    const [make, serve, use] = blocks('TLS', 'sh');
    for (const { code, err } of await reader.follow(make)) assert.equal(code, 0, err);
    const [gateway] = await reader.follow(serve);
    assert.match(gateway.url, /^https:/);
    const [said, renewed] = await reader.follow(use);
    assertAsTold(said);
    assert.equal(renewed.code, 0, renewed.err);
    await until('the log says so', async () => {
      assertAsTold({ ...(await reader.run(said.command)), comment: said.comment });
      return logged(gateway, 'certificate changed').length > 0;
    });
    assertAsTold({ ...(await reader.run(said.command)), comment: said.comment });
  });

  test('certificates of clients', async () => {
    const [, , , serve, use] = blocks('TLS', 'sh');
    reader.write(blocks('TLS', 'jsonc')[0]);
    const [check, gateway] = await reader.follow(serve);
    assert.equal(check.code, 0, check.out);
    const [told] = /the certificate expires in \d+ days: /.exec(check.comment);
    assert.ok(check.out.startsWith(told), check.out);
    const said = await reader.follow(use);
    assert.deepEqual(said.map((one) => assertAsTold(one).status), [200, 401]);
    const without = said[0].command.replace(/ --cert .*/, '');
    const { code } = await reader.run(without);
    assert.ok(code > 0, 'nobody gets through without one');
    assert.ok((await reader.run(`curl -sS --cacert ca.pem ${GATEWAY}:8443/readyz`)).code > 0, 'nor a probe');
    const probe = `curl -sS --cacert ca.pem --cert ada.pem --key ada.key ${GATEWAY}:8443/readyz`;
    assert.equal((await reader.run(probe)).code, 0);
    assert.ok(!gateway.hasExited);
  });

  // -- proxies

  const PROXIES = {
    nginx(file, port) {
      const own = (kind) => `${kind}_temp_path ${join(reader.folder, kind)};`;
      const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(own).join('\n');
      const main = join(reader.folder, 'main.conf');
      const readme = file(`listen 127.0.0.1:${port} ssl`);
      writeFileSync(main, `events {}\nhttp {\naccess_log off;\n${kinds}\ninclude ${readme};\n}\n`);
      // nginx started by root changes to a user that cannot enter the folder.
      const who = process.getuid() === 0 ? 'user root; ' : '';
      const directives = `${who}daemon off; pid nginx.pid; error_log stderr;`;
      return ['nginx', '-p', reader.folder, '-c', main, '-e', 'stderr', '-g', directives];
    },
    haproxy(file, port) {
      const defaults = join(reader.folder, 'defaults.cfg');
      writeFileSync(defaults, 'defaults\nmode http\ntimeout connect 2s\ntimeout client 60s\ntimeout server 60s\n');
      return ['haproxy', '-db', '-f', defaults, '-f', file(`bind 127.0.0.1:${port} ssl`)];
    },
  };

  async function startProxy(t, name) {
    const port = await freePort();
    const [block] = blocks('Behind a proxy', name);
    const file = (place) =>
      reader.write(block, (text) => text.replace(/listen 443 ssl|bind :443 ssl/, place));
    const [program, ...args] = PROXIES[name](file, port);
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
    const child = spawn(program, args, { cwd: reader.folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    const kill = () => child.kill('SIGTERM');
    process.on('exit', kill);
    t.after(async () => {
      kill();
      await exited;
      process.off('exit', kill);
    });
    await until(`${name} listens`, async () => {
      assert.equal(child.exitCode, null, `${name} has ended`);
      return !(await refusesConnections(port));
    });
    reader.connect({ 'gateway.example.com:443': port });
  }

  for (const name of Object.keys(PROXIES))
    test(`behind a proxy: ${name}`, async (t) => {
      const [serve, join, use] = blocks('Behind a proxy', 'sh');
      await reader.follow(serve);
      for (const { code, err } of await reader.follow(join)) assert.equal(code, 0, err);
      await startProxy(t, name);
      const [said] = await reader.follow(use);
      assertAsTold(said);
      const again = async (...more) => answerOf(await reader.run([said.command, ...more].join(' '))).status;
      // Forwarded fields of a client are ignored, true or not. Otherwise the host would be refused.
      for (const address of ['127.0.0.1', '203.0.113.1'])
        assert.equal(await again(`-H "Forwarded: for=${address};host=evil.example"`), 200, address);
      assert.equal(await again('-H "X-Forwarded-Host: evil.example" -H "X-Forwarded-For: 203.0.113.1"'), 200);
      assert.equal(await again('-H "Host: evil.example"'), 403);
      assert.equal(await again('-H "X-API-Key: none"'), 400, 'two keys are none');
    });

  test('on one machine', async () => {
    const [serve, use] = blocks('On one machine', 'sh');
    const [gateway] = await reader.follow(serve);
    const path = join(reader.folder, 'troupe.sock');
    assert.equal(gateway.url, `unix:${path}`);
    assert.equal(modeOf(path), 0o600);
    assert.deepEqual((await reader.follow(use)).map((one) => assertAsTold(one).status), [200]);
    await reader.stop();
    assert.ok(!existsSync(path), 'it is gone');
  });

  test('no command of the section is left out', () => {
    const followed = [2, 3, 2, 3, 5, 3, 2];
    const counted = [...section.keys()].map((part) => blocks(part, 'sh').length).filter((count) => count > 0);
    assert.deepEqual(counted, followed, [...section.keys()].join(', '));
  });
});
