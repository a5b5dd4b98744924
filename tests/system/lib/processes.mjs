import { readdirSync, readFileSync } from 'node:fs';

// A process id alone may be given to a new process: the start time makes it a name.
function read(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), state: fields[0], parent: Number(fields[1]), started: fields[19] };
  } catch {
    return undefined;
  }
}

const all = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(read)
    .filter(Boolean);

export function descendants(pid) {
  const children = Map.groupBy(all(), ({ parent }) => parent);
  const below = (id) => (children.get(id) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

// A zombie counts as running below a living parent: that parent forgot to reap it.
export const isRunning = ({ pid, started }) => read(pid)?.started === started;

// One that is gone by now is no failure.
export function kill({ pid }) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;

export const SANITIZED = process.env.TROUPE_SANITIZED === '1';
// How much longer the program may take than it usually does.
export const SLOWNESS = SANITIZED ? 3 : 1;

export function residentBytes(pid) {
  // A sanitizer keeps what was freed: what is resident then says nothing about the program, and counts as none.
  if (SANITIZED) return 0;
  const [, kibibytes] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kibibytes) * 1024;
}

// How much more memory than at the beginning a process had while something happened.
export async function peakMemory(pid, happening) {
  const before = residentBytes(pid);
  let most = before;
  const look = setInterval(() => (most = Math.max(most, residentBytes(pid))), 5);
  try {
    const value = await happening();
    return { bytes: Math.max(most, residentBytes(pid)) - before, value };
  } finally {
    clearInterval(look);
  }
}

export function signals(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const set = (name) => BigInt(`0x${new RegExp(`${name}:\\s*(\\w+)`).exec(status)[1]}`);
  return { blocked: set('SigBlk'), ignored: set('SigIgn') };
}
