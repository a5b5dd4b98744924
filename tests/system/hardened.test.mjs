// Deployments of deploy/ start secure: nobody is allowed without a key, and processes have few rights.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { deployed, readDeployed } from './lib/balancer.mjs';
import { assertBad, assertComesIn, assertUnknown, bearer, KeyFile, tryInitialize, newKey } from './lib/credentials.mjs';
import { compose, documents } from './lib/deployed.mjs';
import { PROGRAM, serve, serveBy } from './lib/gateway.mjs';
import { request } from './lib/http.mjs';
import { descendants } from './lib/processes.mjs';
import { scratch } from './lib/scratch.mjs';
import { openSession } from './lib/session.mjs';
import { until } from './lib/until.mjs';

const [{ spec: stateful }] = documents('kubernetes/statefulset.yaml');
const { metadata, spec: pod } = stateful.template;
const [container] = pod.containers;
const [policy] = documents('kubernetes/network.yaml');

// -- the image -------------------------------------------------------------------------------------------------------

const image = readDeployed('Dockerfile');
const wordsOf = (instruction) => JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(image)[1]);
const KEYS = '/etc/troupe/keys';
const [USER] = /(?<=^USER )[0-9:]+$/m.exec(image);

// The image's command, with another path of the key file.
function commandOf(keys) {
  const [verb, ...args] = wordsOf('CMD');
  assert.equal(verb, 'serve');
  assert.ok(args.includes('0.0.0.0') && args.includes(KEYS));
  return args.map((word) => ({ [KEYS]: keys, troupe: PROGRAM })[word] ?? word);
}

async function serveImage(t, file) {
  const gateway = await serve('--port', '0', ...commandOf(file.path));
  t.after(() => gateway.stop());
  return gateway;
}

test('the image does not start without a file of keys, and says so in a line', () => {
  const missing = join(scratch(), 'keys');
  const { status, stderr } = spawnSync(PROGRAM, ['serve', ...commandOf(missing)], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /^troupe: --keys: .*\n$/);
  assert.ok(stderr.includes(missing), stderr);
});

test('the image lets nobody in while the file of keys is empty, and then who has one', async (t) => {
  const me = newKey('me');
  const file = new KeyFile();
  const gateway = await serveImage(t, file);
  assertUnknown(await tryInitialize(gateway.at('/mcp')));
  assertBad(await tryInitialize(gateway.at('/mcp'), bearer(me.secret)));
  file.put(me);
  const isKnown = async () => (await request(gateway.at('/mcp'), { headers: bearer(me.secret) })).status !== 401;
  await until('the key is known', isKnown);
  await assertComesIn(gateway.at('/mcp'), bearer(me.secret));
  assertUnknown(await tryInitialize(gateway.at('/mcp')));
});

test('who looks after the image needs no key to ask how it is', async (t) => {
  const gateway = await serveImage(t, new KeyFile());
  const { livenessProbe, readinessProbe } = container;
  const [, asked] = /^HEALTHCHECK .*localhost:8080(\/\S+)$/m.exec(image);
  for (const path of [asked, livenessProbe.httpGet.path, readinessProbe.httpGet.path])
    assert.equal((await request(gateway.at(path))).status, 200, path);
});

test('the image runs as nobody in particular, by number, and has no program that makes root of him', () => {
  const [user, group] = USER.split(':').map(Number);
  assert.ok(user >= 10_000 && group >= 10_000);
  assert.match(image, new RegExp(`groupadd --gid ${group} .*useradd --uid ${user} --gid ${group} `));
  assert.match(image, /find \/ -xdev -type f -perm \/6000 -exec chmod a-s /);
});

test('the image is told to be run without rights, as its first lines show', () => {
  const [shown] = image.split('\n\n');
  const run = ['--read-only', '--tmpfs /tmp', '--cap-drop ALL', '--security-opt no-new-privileges', `:${KEYS}:ro`];
  for (const flag of run) assert.ok(shown.includes(flag), flag);
});

test('nobody but root reads the program where it is installed', () => {
  const copies = image.match(/^COPY .*\/usr\/bin\/troupe$/gm);
  assert.equal(copies.length, 2);
  for (const one of copies) assert.match(one, / --chmod=0711 /);
  assert.match(readDeployed('debian/rules'), /^execute_after_dh_fixperms:\n\tchmod 0711 \$\(to\)\/usr\/bin\/troupe$/m);
});

// -- compose ---------------------------------------------------------------------------------------------------------

test('no container of compose is root, writes to its image or gains rights', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.equal(service.cap_add, undefined, name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    assert.ok(!service.privileged, name);
    assert.ok(service.image.startsWith('troupe:') || !['root', undefined].includes(service.user), name);
  }
});

test('nginx of compose writes where it has to, though it is not root', () => {
  assert.deepEqual(compose.services.nginx.tmpfs, ['/run:mode=1777', '/var/cache/nginx:mode=1777']);
});

test('servers of compose can keep what they fetch, and run it', () => {
  const [user, group] = USER.split(':');
  assert.match(image, /^WORKDIR \/home\/troupe$/m);
  for (const name of ['node-1', 'node-2', 'node-3'])
    assert.deepEqual(compose.services[name].tmpfs.map((one) => one.replace(/,size=.*/, '')),
      ['/tmp', `/home/troupe:exec,uid=${user},gid=${group},mode=700`]);
});

// -- Kubernetes ------------------------------------------------------------------------------------------------------

// https://kubernetes.io/docs/concepts/security/pod-security-standards, and additional restrictions.
test('a pod keeps to the standard `restricted`, and to less', () => {
  const [user, group] = USER.split(':').map(Number);
  assert.deepEqual(pod.securityContext, {
    runAsNonRoot: true, runAsUser: user, runAsGroup: group, fsGroup: group, seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual([pod.automountServiceAccountToken, pod.enableServiceLinks], [false, false]);
  for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) assert.ok(!pod[key], key);
  for (const { hostPort } of container.ports) assert.equal(hostPort, undefined);
  assert.ok(container.resources.limits.memory);
});

test('a pod writes to folders of its own alone, which have an end', () => {
  const kinds = { config: 'configMap', secrets: 'projected', tls: 'secret', tmp: 'emptyDir', home: 'emptyDir' };
  assert.deepEqual(Object.fromEntries(pod.volumes.map(({ name, ...kind }) => [name, Object.keys(kind)[0]])), kinds);
  for (const { name, emptyDir } of pod.volumes)
    if (emptyDir) assert.match(emptyDir.sizeLimit ?? '', /^[0-9]+[MG]i$/, name);
    else assert.equal(container.volumeMounts.find((mount) => mount.name === name).readOnly, true, name);
  const places = ['tmp', 'home'].map((name) => container.volumeMounts.find((mount) => mount.name === name).mountPath);
  assert.deepEqual(places, ['/tmp', '/home/troupe']);
});

test('files of secrets are for the pod alone', () => {
  const modes = readDeployed('kubernetes/statefulset.yaml').match(/defaultMode: [0-9]+/g);
  assert.deepEqual(modes, ['defaultMode: 0440', 'defaultMode: 0440']);
});

test('a pod has a file of keys, from a secret that has none to begin with', () => {
  const example = documents('kubernetes/secret.example.yaml').find((one) => one.metadata.name === 'troupe-keys');
  assert.deepEqual(example.stringData, { keys: '' });
  const { sources } = pod.volumes.find(({ name }) => name === 'secrets').projected;
  const { secret } = sources.find((source) => source.secret.name === 'troupe-keys');
  assert.deepEqual(secret, { name: 'troupe-keys', items: [{ key: 'keys', path: 'keys' }] });
  const place = container.volumeMounts.find(({ name }) => name === 'secrets').mountPath;
  assert.ok(documents('kubernetes/config.yaml')[0].data['mcp.json'].includes(`"auth": {"keys": "${place}/keys"}`));
});

test('only nodes reach the port for nodes, and clients none but theirs', () => {
  const pods = { podSelector: { matchLabels: metadata.labels } };
  assert.equal(policy.kind, 'NetworkPolicy');
  assert.deepEqual(policy.spec.podSelector, pods.podSelector);
  assert.deepEqual(policy.spec.policyTypes, ['Ingress', 'Egress']);
  assert.deepEqual(policy.spec.ingress, [
    { from: [pods], ports: [{ protocol: 'TCP', port: 'cluster' }] },
    { ports: [{ protocol: 'TCP', port: 'mcp' }] },
  ]);
  assert.deepEqual(container.ports.map(({ name }) => name), ['mcp', 'cluster']);
});

test('servers of a pod do not reach what a cloud tells its machines', () => {
  const blocks = policy.spec.egress.flatMap(({ to = [] }) => to).flatMap(({ ipBlock }) => ipBlock ?? []);
  const except = Object.fromEntries(blocks.map(({ cidr, except }) => [cidr, except]));
  assert.deepEqual(except, { '0.0.0.0/0': ['169.254.0.0/16'], '::/0': ['fe80::/10', 'fd00:ec2::254/128'] });
  const [names, ...others] = policy.spec.egress;
  assert.deepEqual(names, { ports: ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 })) });
  assert.equal(others.length, 1);
  assert.ok(others[0].to.some(({ namespaceSelector }) => namespaceSelector), 'and everything inside the cluster');
});

// -- systemd ---------------------------------------------------------------------------------------------------------

const unit = readDeployed('troupe.service');
const SANDBOX = {
  DynamicUser: 'yes', StateDirectory: 'troupe', StateDirectoryMode: '0700', UMask: '0077', LimitCORE: '0',
  WorkingDirectory: '/var/lib/troupe', Environment: 'HOME=/var/lib/troupe', OOMPolicy: 'continue',
  RestartPreventExitStatus: '2',
  CapabilityBoundingSet: '', LockPersonality: 'yes', NoNewPrivileges: 'yes', PrivateDevices: 'yes', PrivateIPC: 'yes',
  PrivateMounts: 'yes', PrivateTmp: 'yes', PrivateUsers: 'yes', ProtectClock: 'yes', ProtectControlGroups: 'yes',
  ProtectHome: 'yes', ProtectHostname: 'yes', ProtectKernelLogs: 'yes', ProtectKernelModules: 'yes',
  ProtectKernelTunables: 'yes', ProtectProc: 'invisible', ProtectSystem: 'strict',
  RestrictAddressFamilies: 'AF_INET AF_INET6 AF_NETLINK AF_UNIX', RestrictNamespaces: 'yes', RestrictRealtime: 'yes',
  RestrictSUIDSGID: 'yes', SystemCallArchitectures: 'native', SystemCallErrorNumber: 'EPERM',
};
const valuesOf = (key) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value);

test('the unit asks for a key, and may do little', () => {
  assert.match(valuesOf('ExecStart')[0], / --keys \/etc\/troupe\/keys$/);
  for (const [key, value] of Object.entries(SANDBOX)) assert.deepEqual(valuesOf(key), [value], key);
  assert.deepEqual(valuesOf('SystemCallFilter'), [
    '@system-service',
    '~@privileged @resources @keyring io_uring_setup io_uring_enter io_uring_register userfaultfd',
  ]);
});

test('the socket unit listens for this machine alone, and the unit tells when it is there', () => {
  const socket = readDeployed('troupe.socket');
  assert.deepEqual(socket.match(/^ListenStream=.*$/gm), ['ListenStream=127.0.0.1:8080']);
  assert.match(socket, /^FileDescriptorName=clients$/m);
  assert.deepEqual(valuesOf('Type'), ['notify']);
  assert.match(valuesOf('Wants')[0], /\btroupe\.socket\b/);
});

// The output of `systemd-analyze`; nothing without systemd.
function analyze(t, ...args) {
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  if (error?.code !== 'ENOENT') return { status, said: stdout + stderr };
  return t.skip('no systemd-analyze here');
}

// Other releases of systemd rate differently.
test('systemd finds the unit as closed as its page says', (t) => {
  const file = join(scratch(), 'troupe.service');
  writeFileSync(file, unit);
  const found = analyze(t, 'security', '--offline=true', '--no-pager', '--threshold=15', file);
  if (!found) return;
  assert.equal(found.status, 0, found.said);
  const [, figure] = /Overall exposure level for \S+: ([0-9.]+)/.exec(found.said);
  const [, version] = /^systemd ([0-9]+)/.exec(analyze(t, '--version').said);
  t.diagnostic(`systemd ${version}: ${figure}`);
  const [, ofRelease, told] = /systemd ([0-9]+) counts\s+an exposure of ([0-9.]+)/.exec(readDeployed('doc/deploying.md'));
  if (version === ofRelease) assert.equal(figure, told);
});

test('systemd finds nothing wrong with the unit', (t) => {
  const file = join(scratch(), 'troupe.service');
  writeFileSync(file, unit.replace('/usr/bin/troupe', PROGRAM));
  const found = analyze(t, 'verify', '--man=no', file);
  if (found) assert.ok(!found.said.includes('troupe.service'), found.said);
});

// -- root folder of the image ------------------------------------------------------------------------------------------

// A server that tries to read the secrets of others, records the results, and serves. A process that may open `mem` may
// trace as well (ptrace(2), "Ptrace access mode checking").
const SPY = `
const { readdirSync, readFileSync, openSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const tried = (what) => { try { return what(); } catch ({ code }) { return code; } };
const found = {};
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid))
  found[pid] = {
    uid: /^Uid:\\t(\\d+)/m.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))[1],
    environ: tried(() => readFileSync('/proc/' + pid + '/environ', 'utf8')),
    mem: tried(() => openSync('/proc/' + pid + '/mem', 'r') > 0),
    fd: tried(() => readdirSync('/proc/' + pid + '/fd').length),
    maps: tried(() => readFileSync('/proc/' + pid + '/maps', 'utf8').length),
  };
writeFileSync('/tmp/found', JSON.stringify(found));
const orphan = 'setTimeout(() => {}, 200)';
const leave = 'require("node:child_process").spawn(process.execPath, ["-e", ' + JSON.stringify(orphan) +
  '], { detached: true, stdio: "ignore" }).unref()';
spawn(process.execPath, ['-e', leave], { stdio: 'ignore' });
spawn('troupe', ['example-server'], { stdio: 'inherit' });
`;

// Builds a root folder like the Dockerfile, plus busybox and, for the spy, Node. Undefined where that is impossible.
function imageRoot(t) {
  const run = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' });
  if (process.getuid() !== 0) return t.skip('only root can make it');
  const namespaces = run('unshare', '--mount', '--pid', '--fork', '--mount-proc', 'true');
  if (namespaces.status !== 0) return t.skip('there are no namespaces here');
  const root = join(scratch(), 'image');
  const libraries = run('ldd', PROGRAM).stdout.match(/[^/ ]*-linux-gnu\/\S*/g) ?? [];
  const packages = run('dpkg', '-S', ...libraries.map((path) => `*/${path}`)).stdout.match(/^[^:]+/gm) ?? [];
  const made = run('sh', deployed('image-root').pathname, root, ...new Set(packages));
  if (made.status !== 0) return t.skip(`deploy/image-root takes Debian 12: ${made.stderr.split('\n')[0]}`);
  for (const [from, to, mode] of [[PROGRAM, 'troupe', 0o711], [process.execPath, 'node', 0o755]]) {
    copyFileSync(from, join(root, 'usr/bin', to));
    chmodSync(join(root, 'usr/bin', to), mode);
  }
  mkdirSync(join(root, 'proc'));
  mkdirSync(join(root, 'dev'));
  writeFileSync(join(root, 'spy.js'), SPY);
  chmodSync(dirname(root), 0o755);
  return root;
}

test('in the image no server reads what the gateway knows, and none leaves a zombie behind', async (t) => {
  const root = imageRoot(t);
  if (!root) return;
  const [user] = USER.split(':');
  const enter = 'mount -t proc proc "$1/proc"; mount --bind /dev "$1/dev"; shift; exec chroot "$@"';
  const [shown, ...words] = [...wordsOf('ENTRYPOINT'), 'serve', '--host', '127.0.0.1', '--port', '0', '--log-format', 'json'];
  const inside = ['env', '-i', 'PATH=/usr/bin', 'HOME=/home/troupe', 'SECRET=only-mine'];
  const gateway = await serveBy(['unshare', '--mount', '--pid', '--fork', '--kill-child', ...inside,
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'sh', '-c', enter, 'sh', root, `--userspec=${USER}`, root,
    `/usr/bin/${shown}`, ...words, '--', 'node', '/spy.js']);
  const first = descendants(gateway.pid)[0].pid;
  t.after(async () => {
    process.kill(first, 'SIGTERM');
    assert.equal(await gateway.exited, 0, gateway.told('it ends cleanly'));
  });
  const session = await openSession(gateway.url);
  const found = JSON.parse(readFileSync(join(root, 'tmp/found'), 'utf8'));
  assert.deepEqual(Object.keys(found), ['1']);
  assert.deepEqual(found[1], { uid: user, environ: 'EACCES', mem: 'EACCES', fd: 'EACCES', maps: 'EACCES' });
  assert.equal((await session.ping()).status, 200);
  await until('what the server left behind is gone', () => descendants(gateway.pid).length === 3);
  assert.ok(!gateway.log.some((line) => line.includes('as root')));
});

test('a gateway that is root says that its servers are, and names the key that changes it', async (t) => {
  if (process.getuid() !== 0) return t.skip('only root can try it');
  const file = join(scratch(), 'mcp.json');
  const servers = { mine: { command: 'true' }, theirs: { command: 'true', user: 'nobody' } };
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  const { stderr } = spawnSync(PROGRAM, ['check', file], { encoding: 'utf8' });
  assert.match(stderr, /^troupe: warning: as root, servers run as root .* "user" .* \(mine\)\n$/);
  const gateway = await serve('--config', file);
  t.after(() => gateway.stop());
  const told = await until('it is told', () => gateway.log.find((line) => line.includes('servers run as root')));
  const { level, msg, servers: named } = JSON.parse(told);
  assert.deepEqual([level, named], ['warning', 'mine']);
  assert.match(msg, /set "user"/);
  assert.match(readDeployed('doc/servers.md'), /runs as root,\s+give each server a `user`/);
});

// -- files -------------------------------------------------------------------------------------------------------------

test('files that others can change, and secrets that they can read, are told of', async (t) => {
  const folder = scratch();
  const place = (name, text, mode) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const keys = (mode) => place(`keys-${mode.toString(8)}`, '', mode);
  const config = (name, mode, env, keysFile, tokenFile) => place(name, JSON.stringify({
    mcpServers: { mine: { command: 'true', env } },
    gateway: { auth: { keys: keysFile }, admin: { listen: '127.0.0.1:0', tokenFile } },
  }), mode);
  const token = (mode) => place(`token-${mode.toString(8)}`, 'x'.repeat(40), mode);
  const warnings = (file) => spawnSync(PROGRAM, ['check', file], { encoding: 'utf8', env: { ...process.env, MINE: 'abcdefgh1' } })
    .stdout.split('\n').filter((line) => line.includes('any user of this machine'));
  const inline = { API_TOKEN: 'abcdefgh1' };
  assert.deepEqual(warnings(config('good', 0o600, inline, keys(0o644), token(0o600))), []);
  assert.deepEqual(warnings(config('named', 0o644, { API_TOKEN: '${MINE}' }, keys(0o600), token(0o640))), []);
  const bad = config('bad', 0o666, inline, keys(0o606), token(0o644));
  const said = warnings(bad);
  for (const [line, pattern] of [
    [said[0], /bad.*can change it/], [said[1], /bad.*has a secret/], [said[2], /keys-606.*can change it/],
    [said[3], /token-644.*has a secret/]]) assert.match(line, pattern);
  assert.equal(said.length, 4);
  const gateway = await serve('--config', bad);
  t.after(() => gateway.stop());
  await until('the log has it', () => gateway.log.filter((line) => line.includes('any user of this machine')).length === 4);
});

// RFC 6750, 5.3
test('credentials that would be sent in clear to another machine are told of', () => {
  const headers = { Authorization: 'Bearer abcdefgh1' };
  const auth = { grant: 'client_credentials', tokenEndpoint: 'https://as.example/token', clientId: 'a', clientSecret: 'abcdefgh1' };
  const file = join(scratch(), 'clear.json');
  writeFileSync(file, JSON.stringify({
    mcpServers: {
      far: { url: 'http://far.example/mcp', headers },
      granted: { url: 'http://far.example/mcp', auth },
      open: { url: 'http://far.example/mcp', headers: { 'X-Team': 'blue' } },
      safe: { url: 'https://far.example/mcp', headers },
      here: { url: 'http://127.0.0.1:9/mcp', headers },
    },
  }), { mode: 0o600 });
  const { stdout, status } = spawnSync(PROGRAM, ['check', file], { encoding: 'utf8' });
  const named = stdout.split('\n').filter((line) => line.includes('sent in clear')).map((line) => /mcpServers\.(\w+)\.url/.exec(line)?.[1]);
  assert.deepEqual(named, ['far', 'granted'], stdout);
  assert.equal(status, 0);
});

test('the key of the cluster is for the image\'s user alone', () => {
  const [told] = readDeployed('compose.yaml').split('\nname:');
  assert.doesNotMatch(told, /chmod [0-9]*[4-7][^\n]*cluster\.key/);
  assert.match(told, /umask 077 [^\n]*cluster\.key[^\n]*chown 10001 deploy\/cluster\.key/);
});
