// Other bridges from stdio to HTTP, with the same child and under the same load.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../system/lib/ports.mjs';
import { options, ROOT } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { note, row } from './report.mjs';
import { among, echo, Floor, Side, Troupe } from './sides.mjs';

const FOLDER = `${ROOT}/tests/bench/peers`;
const PATIENCE = 20_000;

// Each answers a call with a stream of one event, and starts a child for each session, like `troupe serve -- …`.
const PEERS = {
  supergateway: (port) => [
    '--stdio', echo, '--outputTransport', 'streamableHttp', '--stateful', '--streamableHttpPath', '/mcp',
    '--port', port, '--logLevel', 'none',
  ],
  'mcp-proxy': (port) => ['--host', '127.0.0.1', '--port', port, '--server', 'stream', '--', echo],
};

const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

// The children end with the peer, because it holds their pipes.
class Peer extends Side {
  static async start(name) {
    const port = await freePort();
    const program = `${FOLDER}/node_modules/.bin/${name}`;
    const child = spawn(process.execPath, [program, ...PEERS[name](String(port))], { stdio: 'ignore' });
    for (const end = Date.now() + PATIENCE; !(await isListening(port)); await pause(20))
      if (Date.now() > end || child.exitCode !== null) throw new Error(`${name} did not start`);
    return new Peer(child, port);
  }

  constructor(child, port) {
    super({ port, path: '/mcp', observe: child.pid });
    this.child = child;
  }

  load(mode, given = {}) {
    return super.load(mode, mode === 'calls' ? { ...given, sse: true } : given);
  }

  async stop() {
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}

function install() {
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER, stdio: ['ignore', 2, 2] });
}

const kibibytes = (bytes) => (bytes / 1024).toFixed(1);

export async function peers() {
  install();
  const sessions = options.connectors;
  const starts = { Troupe: () => Troupe.start('session') };
  for (const name of Object.keys(PEERS)) starts[name] = () => Peer.start(name);
  await among([Floor.start('pipes'), ...Object.values(starts).map((start) => start())], async (...sides) => {
    const names = ['floor-pipes', ...Object.keys(starts)];
    const loads = names.map((name, index) => [name, () => sides[index].load('calls', { sessions })]);
    const calls = await inTurn(options.pairs, Object.fromEntries(loads));
    const what = `calls, session, ${sessions} sessions, short, beside other bridges`;
    for (const [name, rounds] of Object.entries(calls))
      row(what, name, rounds, name === 'floor-pipes' ? [] : ratios(rounds, calls['floor-pipes']));
  });
  // A side that has had calls may have reserved memory for sessions already.
  for (const [name, start] of Object.entries(starts)) {
    const held = await among([start()], (side) => side.load('streams', { sessions: options.peerStreams, rounds: 0, seconds: 0 }));
    note(`A session with its stream in ${name}: ${kibibytes(held.session_and_stream_bytes)} KiB, without its child.`);
  }
}
