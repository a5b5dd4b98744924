// The commands and files of a page in deploy/doc, which are run and read as they stand there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readDeployed } from './balancer.mjs';
import { PROGRAM, serveBy } from './gateway.mjs';
import { SLOWNESS } from './processes.mjs';
import { scratch } from './scratch.mjs';

const PATIENCE = 60_000 * SLOWNESS;

// A block of a page: its language, and its lines as one text.
const FENCE = /^```(\w+)\n(.*?)^```$/gms;
const blocksIn = (text) => [...text.matchAll(FENCE)].map(([, language, content]) => ({ language, content }));

// The blocks of a page, by the headings of its parts; those before the first have none.
export function readPage(name) {
  const [first, ...parts] = readDeployed(`doc/${name}`).split(/^## /m);
  const named = parts.map((part) => [part.slice(0, part.indexOf('\n')), blocksIn(part)]);
  return new Map([['', blocksIn(first)], ...named]);
}

// Each command of a block, which may go over several lines: to a backslash, a quote or a brace that is open. What
// the page says of it in a comment, such as its answer's status, goes with it.
function commandsIn(block) {
  const commands = [];
  let open = '';
  for (const line of block.split('\n')) {
    const [, code, comment = ''] = /^(.*?)(?: {2,}# (.*))?$/.exec(line);
    open += open ? `\n${code}` : code;
    const isQuoted = open.split("'").length % 2 === 0;
    const isWhole = !open.endsWith('\\') && !isQuoted && (!isFunction(open) || open.endsWith('\n}'));
    if (!isWhole) continue;
    if (open) commands.push({ command: open, comment });
    open = '';
  }
  return commands;
}

const isFunction = (command) => /^\w+\(\) \{/.test(command);
const isRemembered = (command) => isFunction(command) || /^(\w+='|umask )/.test(command);
const isServer = (command) => command.startsWith('troupe serve');

// Where somebody follows a page from top to bottom: a folder of his own, and a shell that remembers what he defined.
//
// Here alone its text is changed, as it has ports that may be taken: a gateway listens on a free port of
// 127.0.0.1, whatever its command or its file says, and curl is told that this is where the page's gateways are. One that
// it has listening for others may be called by any name, as it may be there.
export class Reader {
  #defined = [];
  #gateway;

  constructor(t, changes = {}) {
    this.t = t;
    this.changes = changes;
    this.folder = scratch();
    const bin = scratch();
    symlinkSync(PROGRAM, join(bin, 'troupe'));
    const path = [bin, process.env.PATH].join(delimiter);
    this.env = { PATH: path, HOME: this.folder, CURL_HOME: this.folder, no_proxy: '*' };
    t.after(() => this.stop());
  }

  #changed(text) {
    return Object.entries(this.changes).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  }

  // What curl is to connect to, by what the page calls it.
  connect(places) {
    const lines = Object.entries(places).map(([named, port]) => `connect-to = "${named}:127.0.0.1:${port}"\n`);
    writeFileSync(join(this.folder, '.curlrc'), lines.join(''));
  }

  // Writes the file that a block is: its first line is a comment with its name.
  write({ content }, change = (text) => text) {
    const [, name] = /^(?:\/\/|#) (\S+)\n/.exec(content);
    writeFileSync(join(this.folder, name), change(this.#changed(content)));
    return join(this.folder, name);
  }

  // Resolves with the status of the shell, and what was said.
  run(command, comment = '') {
    const script = [...this.#defined, this.#changed(command)].join('\n');
    if (isRemembered(command)) this.#defined.push(command);
    const env = { ...this.env, ...this.exported };
    const options = { cwd: this.folder, env, encoding: 'utf8', timeout: PATIENCE };
    return new Promise((resolve) => {
      const end = (error, out, err) => resolve({ code: error?.code ?? 0, out, err, command, comment });
      execFile('bash', ['--norc', '-euc', script], options, end);
    });
  }

  // Resolves with what each command of a block has said; a gateway goes on until the next one, or the tests' end.
  async follow({ content }) {
    const said = [];
    for (const { command, comment } of commandsIn(content))
      said.push(isServer(command) ? await this.serve(command) : await this.run(command, comment));
    return said;
  }

  async serve(command) {
    await this.stop();
    const [, place] = / --listen (\S+)/.exec(command) ?? [];
    const isMoved = !place?.startsWith('"unix:');
    const there = isMoved ? `--listen 127.0.0.1:${this.port}` : `--listen ${place}`;
    const names = isMoved && !place?.startsWith('127.0.0.1') ? "--allowed-host '*'" : '';
    const rest = command.replace(/ --listen \S+/, '').replace('troupe serve', '');
    const script = `exec troupe serve --log-format json ${there} ${names} ${rest}`;
    const variables = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    this.#gateway = await serveBy(['env', '-C', this.folder, ...variables, 'bash', '--norc', '-euc', script]);
    return this.#gateway;
  }

  get gateway() {
    return this.#gateway;
  }

  async stop() {
    await this.#gateway?.stop();
    this.#gateway = undefined;
  }
}

// What `curl -i` has printed: the status, the fields and the body.
export function answerOf({ code, out, err, command }) {
  const [head, body] = [out.slice(0, out.indexOf('\r\n\r\n')), out.slice(out.indexOf('\r\n\r\n') + 4)];
  return { status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]), head, body, told: `${command}\n${code} ${out} ${err}` };
}

// The answer has the status that the page says in the command's comment.
export function assertAsTold(said) {
  const told = Number(/^\d{3}\b/.exec(said.comment)?.[0]);
  const answer = answerOf(said);
  assert.ok(told, `the page tells the status: ${said.command}`);
  assert.equal(answer.status, told, answer.told);
  return answer;
}
