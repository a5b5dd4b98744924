import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// PF_FORKNOEXEC of the kernel: the process still runs the program of its parent.
const FORKED = 0x40;

// Process ids are reused, so the start time identifies the process. Undefined for a process that is gone.
export function look(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, flags, started] = [0, 1, 6, 19].map((index) => fields[index]);
    return { pid: Number(pid), state, parent: Number(parent), isForked: (flags & FORKED) !== 0, started };
  } catch {
    return undefined;
  }
}

const all = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(look)
    .filter(Boolean);

export function descendants(pid) {
  const children = Map.groupBy(all(), ({ parent }) => parent);
  const below = (id) => (children.get(id) ?? []).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

function argumentsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

// Processes that were started with this argument, the oldest first.
export const runningWith = (argument) =>
  all()
    .filter(({ pid, state, isForked }) => state !== 'Z' && !isForked && argumentsOf(pid).includes(argument))
    .sort((one, other) => one.started - other.started);

// A zombie counts as running below a living parent, which failed to reap it.
export const isRunning = ({ pid, started }) => look(pid)?.started === started;

// A process that has already exited is no failure.
export function kill({ pid }) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

// Open files of a process by descriptor, as `readlink` names them. Leaves out those that are closed meanwhile.
export function openFiles(pid) {
  const read = (descriptor) => {
    try {
      return [Number(descriptor), readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return undefined;
    }
  };
  try {
    return new Map(readdirSync(`/proc/${pid}/fd`).map(read).filter(Boolean));
  } catch {
    return new Map();
  }
}

export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;

export const SANITIZED = process.env.TROUPE_SANITIZED === '1';
// How much slower a sanitized program may be.
export const SLOWNESS = SANITIZED ? 3 : 1;

export function residentBytes(pid) {
  // A sanitizer keeps freed memory, so the resident size is meaningless and counts as 0.
  if (SANITIZED) return 0;
  const [, kibibytes] = /VmRSS:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kibibytes) * 1024;
}

// The growth of a process's memory at its peak while `happening` runs.
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
