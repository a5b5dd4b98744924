// The output of `troupe drain --rate` while sessions leave a fake gateway.
import assert from 'node:assert/strict';
import { test } from './lib/concurrently.mjs';
import { fakeGateway, nodeOf } from './lib/fake-gateway.mjs';
import { onTerminal, operate } from './lib/terminal.mjs';

async function watched(gateway, ...flags) {
  const { code, err, lines } = await operate(['drain', '--rate', '20', '--admin', gateway.at, ...flags]);
  assert.deepEqual([code, err], [0, ''], lines.join('\n'));
  return lines;
}

const leaving = (toMove, more) =>
  nodeOf({ draining: true, drain: { rate: '20/s', to_move: toMove, moved: 9 - toMove, stay: 1, calls: 2 }, ...more });

test('a drain at a rate is watched until the gateway is gone', async (t) => {
  const told = [leaving(9), leaving(9), leaving(4), nodeOf({ draining: true, sessions: 1 })];
  const gateway = await fakeGateway(t, {
    'POST /api/drain': { draining: true, rate: '20/s' },
    '/api/node': () => told.shift() ?? { error: 'gone', status: 503 },
  });
  assert.deepEqual(await watched(gateway, '--node', 'a'), [
    'to move 9, moved 0, stay 1, calls 2',
    'to move 4, moved 5, stay 1, calls 2',
    'it ends: sessions 1, leases 1',
    'it has ended',
  ]);
  told.push(leaving(2), nodeOf({ pid: 2 }));
  const lines = await watched(gateway, '--json');
  assert.deepEqual(lines.map((line) => JSON.parse(line).state), ['moving', 'ended']);
});

test('a gateway that is busy for a while has not ended', async (t) => {
  const busy = { error: 'busy', status: 503 };
  const told = [leaving(9), busy, busy, busy, busy, leaving(4)];
  const gone = (outgoing) => {
    gateway.server.close();
    outgoing.socket.destroy();
    return {};
  };
  const gateway = await fakeGateway(t, {
    'POST /api/drain': { draining: true, rate: '20/s' },
    '/api/node': (_, outgoing) => told.shift() ?? gone(outgoing),
  });
  const lines = ['to move 9, moved 0, stay 1, calls 2', 'to move 4, moved 5, stay 1, calls 2', 'it has ended'];
  assert.deepEqual(await watched(gateway), lines);
});

test('a drain that is called off ends the watch with an error', async (t) => {
  const told = [leaving(9), nodeOf()];
  const gateway = await fakeGateway(t, {
    'POST /api/drain': { draining: true, rate: '20/s' },
    '/api/node': () => told.shift(),
  });
  const { code, out, err } = await operate(['drain', '--rate', '20', '--admin', gateway.at]);
  assert.deepEqual([code, out], [1, 'to move 9, moved 0, stay 1, calls 2\nit stays\n']);
  assert.equal(err, 'troupe: it is to stay after all: somebody has ordered troupe undrain\n');
});

test('on a terminal a drain is told in one line', async (t) => {
  const told = [leaving(9), leaving(4)];
  const gateway = await fakeGateway(t, {
    'POST /api/drain': { draining: true, rate: '20/s' },
    '/api/node': () => told.shift() ?? { error: 'gone', status: 503 },
  });
  const screen = onTerminal(t, 'drain', '--rate', '20', '--admin', gateway.at, '--node', 'a');
  await screen.ended;
  assert.match(screen.drawn, /\rto move 9, [^\n]*\rto move 4, [^\n]*\rit has ended[^\n]*\n/);
  assert.match(screen.drawn, /status=0/);
});
