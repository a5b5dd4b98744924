// Runs the operators' commands to their end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PROGRAM } from './gateway.mjs';

const LIMIT = 60_000;
const CLEAN = { ...process.env, TZ: 'UTC', TROUPE_ADMIN: '', TROUPE_ADMIN_TOKEN: '', NO_COLOR: '' };

async function toEnd(child) {
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  const exit = once(child, 'exit').finally(() => clearTimeout(late));
  const [out, err, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code: signal ?? code, out, err, lines: out.split('\n').slice(0, -1) };
}

// Resolves with the exit status, the output and its lines.
export const operate = (args, env = {}) =>
  toEnd(spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...CLEAN, ...env } }));

// Runs a command on a terminal of 80 columns and 24 rows until the test ends, with its output, input and exit. The
// state of the terminal after the exit is part of the output.
export const onTerminal = (t, ...args) => onTerminalWith(t, {}, ...args);

// Like `onTerminal`, with these environment variables.
export function onTerminalWith(t, variables, ...args) {
  const line = ["trap : INT; stty cols 80 rows 24; '", PROGRAM, "' ", args.join(' '), '; echo "status=$?"; stty -a'].join('');
  const env = { ...CLEAN, TERM: 'xterm', SHELL: '/bin/sh', ...variables };
  const child = spawn('script', ['-qec', line, '/dev/null'], { env });
  const screen = { drawn: '', press: (keys) => child.stdin.write(keys) };
  child.stdout.setEncoding('utf8').on('data', (piece) => (screen.drawn += piece));
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  screen.ended = once(child, 'close').finally(() => clearTimeout(late));
  t.after(() => child.kill('SIGKILL')); // the terminal is closed with it, which sends SIGHUP
  return screen;
}
