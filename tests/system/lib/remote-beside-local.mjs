// A remote server, and a local one that its faults must not affect.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { gatewayWith } from './config.mjs';
import { exampleServer } from './gateway.mjs';
import { openSession } from './session.mjs';
import { assertBack, baseLine, DEBUG } from './state.mjs';
import { until } from './until.mjs';

export const FAR = '/servers/far/mcp';
const NEAR = '/servers/near/mcp';
// Far below the timeout of a call, far above the delays of a loaded machine.
export const AT_ONCE = 20_000;
const QUICK = { firstDelay: '100ms', longestDelay: '200ms', attempts: 1_000 };

const [command, ...args] = exampleServer;
export const textOf = ({ result }) => result?.content[0].text;
export const isLost = ({ error }) => error?.code === -32603;

// Starts a gateway for a remote server and a local one.
export async function gatewayTo(t, url, server = {}, ...flags) {
  const servers = { far: { url, restart: QUICK, ...server }, near: { command, args } };
  return gatewayWith(t, { mcpServers: servers }, DEBUG, ...flags);
}

// Works with sessions of the fixture and of the script.
export const works = async (session) => !(await session.call('works', 'echo', { message: 'x' })).error;

// Calls the local server while `happening` runs, and resolves with its longest latency.
async function meanwhile(gateway, happening) {
  const near = await openSession(gateway.at(NEAR));
  let over = false;
  let slowest = 0;
  let calls = 0;
  const caller = async () => {
    while (!over) {
      const began = Date.now();
      assert.equal(textOf(await near.call(++calls, 'add', { a: calls, b: 1 })), String(calls + 1));
      slowest = Math.max(slowest, Date.now() - began);
      await pause(5);
    }
  };
  const calling = caller();
  try {
    return await Promise.race([happening(), calling]);
  } finally {
    over = true;
    await calling;
    await near.delete();
    assert.ok(calls > 0 && slowest < AT_ONCE, `${calls} calls, the slowest took ${slowest} ms`);
  }
}

// A shared server keeps running after its first use.
export async function givesBack(gateway, scenario, sharing = 'session') {
  const before = await baseLine(gateway, async () => {
    if (sharing === 'shared') await (await openSession(gateway.at(FAR))).delete();
    const session = await openSession(gateway.at(NEAR));
    await session.call(1, 'add', { a: 1, b: 1 });
    await session.delete();
    await until('the first server has ended', () => gateway.children().length === 0);
  });
  await meanwhile(gateway, scenario);
  await assertBack(gateway, before);
}
