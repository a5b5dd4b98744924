// The load balancers of deploy/ with their own files, for gateways of a test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { refusesConnections } from './http.mjs';
import { freePort } from './ports.mjs';
import { scratch } from './scratch.mjs';
import { until } from './until.mjs';

export const deployed = (name) => new URL(`../../../deploy/${name}`, import.meta.url);
export const readDeployed = (name) => readFileSync(deployed(name), 'utf8');

// Debian installs these outside the PATH of ordinary users.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

const placeOf = (place) => (typeof place === 'number' ? `127.0.0.1:${place}` : place);

// The file with local gateways as its nodes, by port, or by host and port.
const withNodes = (config, places) =>
  config.replace(/node-([123]):8080/g, (_, node) => placeOf(places[(node - 1) % places.length]));

// By default nginx stores bodies in system folders.
function nginxFile(folder, port, ports) {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  mkdirSync(join(folder, 'temp'));
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(folder, 'temp', kind)};`).join('\n');
  return withNodes(readDeployed('nginx.conf'), ports)
    .replace('http {', `http {\n${temporary}`)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`);
}

const haproxyFile = (folder, port, ports) =>
  withNodes(readDeployed('haproxy.cfg'), ports).replace('bind :8080', `bind 127.0.0.1:${port}`);

// Started by root, nginx changes to a user that cannot enter the folder of a test.
const asWho = process.getuid() === 0 ? 'user root; ' : '';

const balancers = {
  nginx: {
    file: nginxFile,
    run: (folder, file) => ['nginx', '-p', folder, '-c', file, '-g', `${asWho}daemon off; pid nginx.pid; error_log stderr;`],
    check: ['-t'],
  },
  haproxy: { file: haproxyFile, run: (_, file) => ['haproxy', '-db', '-f', file], check: ['-c'] },
};

export const balancerNames = Object.keys(balancers);

async function prepared(name, ports, change = (text) => text) {
  const folder = scratch();
  const port = await freePort();
  const file = join(folder, 'config');
  writeFileSync(file, change(balancers[name].file(folder, port, ports)));
  return { port, command: balancers[name].run(folder, file) };
}

const start = ([program, ...args]) => spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });

// Resolves with the exit code and the output.
export async function checkBalancer(name) {
  const { command } = await prepared(name, [1, 2, 3]);
  const child = start([...command, ...balancers[name].check]);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, said };
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGTERM')));

// Resolves with the URL of the balancer, which lives as long as the test. `change` edits its file.
export async function startBalancer(t, name, ports, change = (text) => text) {
  const { port, command } = await prepared(name, ports, change);
  const child = start(command);
  running.add(child);
  child.stderr.resume();
  const exited = once(child, 'exit').then(() => running.delete(child));
  t.after(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await until(`${name} listens`, async () => !(await refusesConnections(port)));
  return `http://127.0.0.1:${port}`;
}
