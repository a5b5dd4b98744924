// A gateway that hands over to a new process on SIGUSR2.
import { readFileSync } from 'node:fs';
import { until } from './until.mjs';

const TAKEN = 'another process has taken over';

export function hasEnded(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}

async function end(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
  await until('the new process has ended', () => hasEnded(pid));
}

export const records = (gateway, msg) =>
  gateway.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).filter((one) => one.msg === msg);

// Resolves with the new process, which ends with the test. `gateway` is the previous one.
export async function upgraded(t, gateway, pid = gateway.pid) {
  const before = records(gateway, TAKEN).length;
  process.kill(pid, 'SIGUSR2');
  const taken = await until('another process has taken over', () => records(gateway, TAKEN)[before]);
  const next = Number(taken.process);
  t.after(() => end(next));
  return { pid: next, end: () => end(next), hasEnded: () => hasEnded(next) };
}
