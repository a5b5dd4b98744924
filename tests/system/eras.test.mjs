// Every official client with every kind of server, each in its era: all features of MCP work for each pair.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { lasting } from './lib/cluster.mjs';
import { gatewayWith } from './lib/config.mjs';
import { ANSWERS, CAN, FEATURES, OF_EVERYTHING, OF_FIXTURE } from './lib/features.mjs';
import { everything, fixture } from './lib/gateway.mjs';
import { startKeyedNodes } from './lib/keyed-nodes.mjs';
import { LONG } from './lib/long.mjs';
import { startRemoteModern } from './lib/modern.mjs';
import { recordedCommand, recordedUrl } from './lib/recorded-input.mjs';
import { scratch } from './lib/scratch.mjs';
import { USERS } from './lib/sdk-clients.mjs';
import { startEverything, startFixture } from './lib/via.mjs';

// The tools belong to the first server. Further servers make it one of several on the merged endpoint. Servers behind
// nodes are reached through nginx.
const SERVERS = {
  'SDK 1': { commands: [fixture('stdio')], calls: OF_FIXTURE },
  'SDK 1, of two': { commands: [fixture('stdio'), everything], calls: OF_FIXTURE },
  'SDK 2': { commands: [fixture('modern-server')], calls: OF_FIXTURE },
  'SDK 2, of two': { commands: [fixture('modern-server'), everything], calls: OF_FIXTURE },
  everything: { commands: [everything], calls: OF_EVERYTHING },
  'SDK 1, remote': { commands: [], calls: OF_FIXTURE, startRemote: startFixture },
  'SDK 2, remote': { commands: [], calls: OF_FIXTURE, startRemote: startRemoteModern },
  ...(LONG && {
    'everything, remote': { commands: [], calls: OF_EVERYTHING, startRemote: () => startEverything('streamableHttp') },
    'SDK 1, behind nodes': { commands: [fixture('stdio')], calls: OF_FIXTURE, start: startKeyedNodes },
    'SDK 2, behind nodes': { commands: [fixture('modern-server')], calls: OF_FIXTURE, start: startKeyedNodes },
    'everything, behind nodes': { commands: [everything], calls: OF_EVERYTHING, start: startKeyedNodes },
  }),
};

const IN_ANSWERS = 'questions of 2026-07-28 are parts of answers';
const NO_PING = '2026-07-28 has no ping';
const WITHOUT_SESSION = ['SDK 2, automatic', 'SDK 2, modern'];

const entry = ([command, ...args], prefix) => ({ command, args, prefix });

// Combinations that no gateway can support.
const IMPOSSIBLE = [
  { feature: 'question outside of any call', users: WITHOUT_SESSION, why: IN_ANSWERS },
  { feature: 'question outside of any call', servers: /^SDK 2/, why: IN_ANSWERS },
  { feature: 'ping', users: WITHOUT_SESSION, why: NO_PING },
];
const impossible = (feature, user, server) =>
  IMPOSSIBLE.find((one) => one.feature === feature && (one.users?.includes(user) || one.servers?.test(server)))?.why;

const startGateway = (t, mcpServers) => gatewayWith(t, { mcpServers });

async function entryOf(t, { commands: [command], startRemote }, journal) {
  if (!startRemote) return entry(recordedCommand(journal, command), '');
  const remote = await startRemote();
  t.after(() => remote.stop());
  return { type: 'http', url: await recordedUrl(t, journal, remote.url), prefix: '' };
}

async function startServers(t, server, journal) {
  const { commands, start = startGateway } = server;
  const others = commands.slice(1).map((command, index) => [`other-${index}`, entry(command, `other-${index}`)]);
  return start(t, { first: await entryOf(t, server, journal), ...Object.fromEntries(others) });
}

const table = new Map(Object.keys(FEATURES).map((feature) => [feature, []]));

suite('what MCP has', { concurrency: 3 }, () => {
  for (const [serverName, server] of Object.entries(SERVERS))
    for (const [userName, connectUser] of Object.entries(USERS))
      suite(`between a client (${userName}) and a server (${serverName})`, { concurrency: 1 }, () => {
        const t = lasting();
        const journal = join(scratch(), 'heard');
        let user;
        before(async () => {
          writeFileSync(journal, '');
          const gateway = await startServers(t, server, journal);
          user = await connectUser(t, gateway.url, CAN, ANSWERS);
        });
        after(() => t.end());

        test('revision', () => assert.equal(user.spoken, user.version));
        for (const [feature, prove] of Object.entries(FEATURES)) {
          const why = impossible(feature, userName, serverName);
          const row = table.get(feature);
          const index = row.push(why ? 'cannot be' : 'fails') - 1;
          test(feature, { skip: why }, async () => {
            await prove(user, server.calls, journal);
            row[index] = 'works';
          });
        }
      });
});

// Printed in one piece, because line by line output may be lost at the end of the run.
test('a table of all that was proved', (t) => {
  const users = Object.keys(USERS);
  const line = (name, cells) => [name.padEnd(45), ...cells.map((cell) => cell.padEnd(16))].join(' ').trimEnd();
  const rowsOf = (index) =>
    [...table].map(([feature, row]) => line(feature, row.slice(index * users.length, (index + 1) * users.length)));
  const parts = Object.keys(SERVERS).map((server, n) => [line(`server: ${server}`, users), ...rowsOf(n)].join('\n'));
  t.diagnostic(['', ...parts].join('\n\n'));
});
