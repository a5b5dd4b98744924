// Tests built images of deploy/Dockerfile, run as in deploy/doc/deploying.md. TROUPE_IMAGE=troupe:1.0.0 names one,
// TROUPE_RUNTIMES=troupe:1.0.0-runtimes the other, whose servers come from npm. TROUPE_CONTAINERS is the container
// program, docker by default. The tests are skipped without these variables.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as anyTest } from 'node:test';
import { readDeployed } from './lib/balancer.mjs';
import { assertUnknown, bearer, tryInitialize } from './lib/credentials.mjs';
import { request } from './lib/http.mjs';
import { freePort } from './lib/ports.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const { TROUPE_IMAGE: IMAGE, TROUPE_RUNTIMES: RUNTIMES, TROUPE_CONTAINERS: DOCKER = 'docker' } = process.env;
const CLOSED = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

function docker(...args) {
  const { status, stdout, stderr, error } = spawnSync(DOCKER, args, { encoding: 'utf8' });
  if (error) throw error;
  return { status, stdout, told: `${stdout}${stderr}` };
}

// Generated as on the page, in a world-readable file, because the image runs as a different user.
function newKey(image) {
  const { stdout } = docker('run', '--rm', '--network', 'host', image, 'key', 'new', 'me');
  const file = join(scratch(), 'keys');
  writeFileSync(file, `${stdout.trimEnd().split('\n').at(-1)}\n`, { mode: 0o644 });
  return { file, secret: /troupe_\S+/.exec(stdout)[0] };
}

class Container {
  static async start(t, image, command, flags = []) {
    const one = new Container();
    one.name = `troupe-test-${randomBytes(6).toString('hex')}`;
    one.port = await freePort();
    const { file, secret } = newKey(image);
    one.headers = bearer(secret);
    const serve = ['serve', '--port', String(one.port), '--keys', '/etc/troupe/keys', '--', ...command];
    const all = ['--network', 'host', '--volume', `${file}:/etc/troupe/keys:ro`, ...CLOSED, ...flags];
    t.after(() => docker('rm', '--force', '--volumes', one.name));
    const { status, told } = docker('run', '--detach', '--name', one.name, ...all, image, ...serve);
    assert.equal(status, 0, told);
    await until('it is ready', () => request(one.at('/readyz')).then(({ status }) => status === 200, () => false));
    return one;
  }

  at(path) {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  log() {
    return docker('logs', this.name).told;
  }

  // The output of a command in the container.
  told(...command) {
    return docker('exec', this.name, ...command).told;
  }

  session() {
    return openSession(this.at('/mcp'), undefined, undefined, this.headers);
  }
}

for (const image of [IMAGE, RUNTIMES].filter(Boolean)) {
  const test = (name, body) => anyTest(`${image}: ${name}`, body);

  test('serves who has a key, without rights and as nobody in particular', async (t) => {
    const one = await Container.start(t, image, ['troupe', 'example-server']);
    assertUnknown(await tryInitialize(one.at('/mcp')));
    const session = await one.session();
    assert.equal((await session.ping()).status, 200);
    const status = one.told('cat', '/proc/1/status');
    assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m);
    assert.match(status, /^Gid:\t10001\t10001\t10001\t10001$/m);
    for (const kind of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) assert.match(status, new RegExp(`^Cap${kind}:\t0+$`, 'm'));
    assert.match(status, /^NoNewPrivs:\t1$/m);
    for (const path of ['/x', '/usr/x', '/etc/x'])
      assert.match(one.told('busybox', 'touch', path), /Read-only file system/);
    assert.equal(one.told('busybox', 'touch', '/tmp/x'), '');
    assert.equal(one.told('busybox', 'find', '/bin/', '/usr', '-xdev', '-type', 'f', '-perm', '/6000'), '');
  });

  test('answers the health check that it has', async (t) => {
    const one = await Container.start(t, image, ['troupe', 'example-server']);
    const [, check] = /^HEALTHCHECK .* CMD (.*)$/m.exec(readDeployed('Dockerfile'));
    const { status, told } = docker('exec', one.name, ...check.replace(':8080', `:${one.port}`).split(' '));
    assert.equal(status, 0, told);
    assert.equal(docker('exec', one.name, ...check.replace(':8080', ':1').split(' ')).status, 1);
  });

  test('ends by TERM, with 0, and before it is killed', async (t) => {
    const one = await Container.start(t, image, ['troupe', 'example-server']);
    await one.session();
    docker('stop', '-t', '30', one.name);
    assert.equal(docker('inspect', '--format', '{{.State.ExitCode}}', one.name).stdout.trim(), '0', one.log());
  });

  test('keeps nothing of what servers leave behind', async (t) => {
    const one = await Container.start(t, image, ['sh', '-c', '(sleep 15 & sleep 15 &); exec troupe example-server']);
    const session = await one.session();
    const processes = () => one.told('busybox', 'ps', '-o', 'stat,comm');
    assert.match(processes(), /sleep/);
    await until('they are gone', () => !/sleep|^Z/m.test(processes()), 60_000);
    assert.equal((await session.ping()).status, 200);
  });
}

const skip = !RUNTIMES && 'TROUPE_RUNTIMES is not set';
anyTest('what npx fetches runs, and is kept in the home', { skip }, async (t) => {
  const one = await Container.start(t, RUNTIMES, ['npx', '-y', '@modelcontextprotocol/server-memory']);
  const session = await one.session();
  assert.equal((await session.ping()).status, 200);
  assert.match(one.told('ls', '/home/troupe/.npm/_npx'), /^[0-9a-f]+$/m);
  assert.match(one.told('python3', '-c', 'print("python")'), /^python$/m);
});
