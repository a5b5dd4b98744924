// A reader who follows a page from top to bottom, and types its commands.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { deployed } from './balancer.mjs';
import { PROGRAM, serveBy } from './gateway.mjs';
import { commandsIn, fileNameOf } from './page.mjs';
import { freeDecade } from './ports.mjs';
import { descendants, kill, SLOWNESS } from './processes.mjs';
import { scratch } from './scratch.mjs';

const PATIENCE = 60_000 * SLOWNESS;
const MODULES = fileURLToPath(new URL('../node_modules/@modelcontextprotocol', import.meta.url));
// A replacement of npx that runs the packages of the tests.
const NPX = `#!/bin/sh
[ "$1" = -y ] && shift
package=\${1#@modelcontextprotocol/}
shift
exec '${process.execPath}' "${MODULES}/$package/dist/index.js" "$@"
`;
// Prints the status of an answer to stderr.
const TELL_STATUS = 'write-out = "%{stderr}%{http_code}\\n"\n';

// Commands that change the machine, or act on processes of other tests.
const BEYOND = /\b(sudo|apt|apt-get|systemctl|pgrep|pkill|killall|docker|kubectl)\b|[ "'=>]\/(etc|usr|var|run)\//;
const isServer = (command) => /^(\w+=\S+ )*troupe serve\b/.test(command) && !command.endsWith('&');
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// A persistent shell: definitions, the working directory and jobs remain for the next command.
class Terminal {
  #count = 0;
  #files = scratch();

  constructor(folder, env) {
    this.folder = folder;
    const stdio = ['pipe', 'ignore', 'ignore', 'pipe'];
    this.child = spawn('bash', ['--norc', '--noprofile'], { cwd: folder, env, stdio });
    this.exited = once(this.child, 'exit');
    this.lines = createInterface({ input: this.child.stdio[3] });
    this.child.stdin.write('set -mu\n');
    process.on('exit', () => this.#kill());
  }

  #kill() {
    if (this.child.exitCode !== null) return;
    for (const one of descendants(this.child.pid)) kill(one);
    this.child.kill('SIGKILL');
  }

  // Resolves with the status and the output of the command. `later` returns later output of its jobs.
  async run(command) {
    const [script, out, err] = ['script', 'out', 'err'].map((name) => join(this.#files, `${name}-${this.#count}`));
    ++this.#count;
    writeFileSync(script, `${command}\n`);
    this.child.stdin.write(`. ${script} </dev/null >${out} 2>${err}; echo "$? $PWD" >&3\n`);
    const limit = AbortSignal.timeout(PATIENCE);
    const ended = this.exited.then(() => assert.fail(`the shell has ended: ${command}\n${readFileSync(err, 'utf8')}`));
    const [line] = await Promise.race([once(this.lines, 'line', { signal: limit }), ended]);
    const [, code, folder] = /^(\d+) (.*)$/.exec(line);
    this.folder = folder;
    const later = () => readFileSync(err, 'utf8');
    return { command, code: Number(code), out: readFileSync(out, 'utf8'), err: later(), later };
  }

  // Ends the shell and its jobs.
  async close() {
    const late = setTimeout(() => this.#kill(), PATIENCE);
    this.child.stdin.end('jobs -p | xargs -r kill 2>/dev/null; wait; exit\n');
    await this.exited;
    clearTimeout(late);
  }
}

// The addresses of a page's gateways, and their addresses in a test, which has other ports.
const placesOf = (ports) => [
  [/(?<=127\.0\.0\.1:|--port )808(?=[\d$\\])/g, ports.clients],
  [/(?<=127\.0\.0\.1:)794(?=[\d$])/g, ports.nodes],
  [/(?<=127\.0\.0\.1-)946(?=\d)/g, ports.operators],
  [/(?:127\.0\.0\.1|0\.0\.0\.0):946(?=[\d$])/g, `127.0.0.1:${ports.operators}`],
];

// The reader has a folder as home directory and clone, and two terminals: one for a gateway, one for everything else.
//
// Some of the page's text is changed, because its ports may be in use: a gateway listens on a free port of 127.0.0.1. A
// gateway for other machines may be called by any name. npx runs installed packages.
export class Reader {
  #gateway;
  #exported = '';

  // `changes` are further replacements of text.
  static async begin(t, changes = {}) {
    const decades = { clients: await freeDecade(), nodes: await freeDecade(), operators: await freeDecade() };
    return new Reader(t, decades, changes);
  }

  constructor(t, decades, changes) {
    const begin = (decade) => String(decade).slice(0, -1);
    this.t = t;
    this.changes = changes;
    this.port = decades.clients;
    const begins = Object.entries(decades).map(([name, decade]) => [name, begin(decade)]);
    this.places = placesOf(Object.fromEntries(begins));
    this.home = scratch();
    const bin = scratch();
    symlinkSync(PROGRAM, join(bin, 'troupe'));
    symlinkSync(fileURLToPath(deployed('.')), join(this.home, 'deploy'));
    writeFileSync(join(bin, 'npx'), NPX);
    chmodSync(join(bin, 'npx'), 0o755);
    const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
    this.env = { PATH: path, HOME: this.home, CURL_HOME: this.home, no_proxy: '*', LANG: 'C.UTF-8' };
    this.env.TROUPE_ADMIN = `http://127.0.0.1:${decades.operators + 4}`;
    this.connect({});
    this.terminal = new Terminal(this.home, this.env);
    t.after(() => this.stop());
    t.after(() => this.terminal.close());
  }

  // The current directory of the shell.
  get folder() {
    return this.terminal.folder;
  }

  get gateway() {
    return this.#gateway;
  }

  // The page's text with the addresses of the test.
  here(text) {
    const moved = this.places.reduce((all, [from, to]) => all.replace(from, to), text);
    return Object.entries(this.changes).reduce((all, [from, to]) => all.replaceAll(from, to), moved);
  }

  // Options for curl that connect the page's addresses to those of the test.
  connect(places) {
    const lines = Object.entries(places).map(([named, port]) => `connect-to = "${named}:127.0.0.1:${port}"\n`);
    writeFileSync(join(this.home, '.curlrc'), TELL_STATUS + lines.join(''));
  }

  // Sets environment variables from now on.
  export(variables) {
    this.#exported = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}\n`).join('');
  }

  // Writes the file of a block.
  write(block, change = (text) => text) {
    const path = join(this.folder, fileNameOf(block));
    writeFileSync(path, change(this.here(block.content)));
    return path;
  }

  async run(command, comment = '') {
    return { ...(await this.terminal.run(this.#exported + this.here(command))), command, comment };
  }

  // A gateway runs until the next one starts, or until the tests end.
  take({ command, comment }) {
    assert.doesNotMatch(command, BEYOND, 'it may change more of this machine than is the test\'s: see lib/not-run.mjs');
    return isServer(command) ? this.serve(command, comment) : this.run(command, comment);
  }

  // Resolves with the output of each command of a block.
  async follow(block) {
    const said = [];
    for (const one of commandsIn(block)) said.push(await this.take(one));
    return said;
  }

  // The address comes from the page's comment, if it has one.
  async serve(command, comment = '') {
    await this.stop();
    const [, place] = / --listen (\S+)/.exec(command) ?? [];
    const isMoved = !place?.startsWith('"unix:');
    const there = isMoved ? `--listen 127.0.0.1:${this.port}` : `--listen ${place}`;
    const names = isMoved && !place?.startsWith('127.0.0.1') ? "--allowed-host '*'" : '';
    const served = `troupe serve --log-format json ${there} ${names}`;
    const script = `exec env ${this.here(command.replace(/ --listen \S+/, '')).replace('troupe serve', () => served)}`;
    const variables = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    this.#gateway = await serveBy(['env', '-C', this.folder, ...variables, 'bash', '--norc', '-euc', script]);
    const [told] = /^http:\S+/.exec(comment) ?? [];
    if (told) assert.equal(this.#gateway.url, this.here(told.replace('0.0.0.0', '127.0.0.1')), command);
    return this.#gateway;
  }

  async stop() {
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }
}

// Parses the output of curl: the status, and with `-i` the fields and the body.
export function answerOf({ code, out, err, command }) {
  const [head, body] = [out.slice(0, out.indexOf('\r\n\r\n')), out.slice(out.indexOf('\r\n\r\n') + 4)];
  const status = Number(/^(\d{3})$/m.exec(err)?.[1]);
  return { status, head, body, told: `${command}\n${code} ${out} ${err}` };
}

// Asserts the status that the comment of the command announces.
export function assertAsTold(said) {
  const told = Number(/^\d{3}\b/.exec(said.comment)?.[0]);
  const answer = answerOf(said);
  assert.ok(told, `the page tells the status: ${said.command}`);
  assert.equal(answer.status, told, answer.told);
  return answer;
}

// Asserts that a command did what its comment says: the status of an answer, an exit status, or success. A listening
// gateway was already observed.
export function assertDone(said) {
  if (said.url) return said;
  if (/^\d{3}\b/.test(said.comment)) return assertAsTold(said);
  const [, code = '0'] = /\bexit (\d)/.exec(said.comment) ?? [];
  assert.equal(said.code, Number(code), `${said.command}\n${said.out}${said.err}`);
  return said;
}
