// Follows the page "For operators" from top to bottom.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { followPage } from './lib/followed.mjs';
import { commandsOf } from './lib/page.mjs';
import { answerOf } from './lib/page-reader.mjs';
import { openSession, toolCall } from './lib/session.mjs';
import { startCollector } from './lib/traces.mjs';
import { until } from './lib/until.mjs';

// The gateway command at the beginning of the page.
const [FIRST] = commandsOf('operators.md');
const SESSIONS = 7;
const CALLS = 3;
const SLOW = { steps: 4, delay_ms: 60_000 };

const jsonIn = (said) => JSON.parse(said.out);
const callsOf = (said) => jsonIn(said).calls;

// Connects clients, of which the seventh has three calls in flight.
async function comeIn(url) {
  const sessions = [];
  while (sessions.length < SESSIONS) sessions.push(await openSession(url));
  for (let id = 1; id <= CALLS; ++id) await sessions.at(-1).post(toolCall(id, 'slow', SLOW));
  return sessions;
}

let collector;
let sessions;


followPage('operators.md', {
  async prepare(reader, t) {
    collector = await startCollector(t);
    reader.changes['http://127.0.0.1:4318'] = collector.origin;
    reader.env.OTEL_BSP_SCHEDULE_DELAY = '100';
  },
  around: {
    async [FIRST.command](reader, run) {
      const gateway = await run();
      const [, msg, url] = /^(.*) url=(.*)$/.exec(FIRST.comment);
      const lines = gateway.log.map((line) => JSON.parse(line));
      assert.equal(lines.find((line) => line.msg === msg).url, reader.here(url));
      assert.equal(reader.env.TROUPE_ADMIN, reader.here(url));
    },
    async 'as_operator http://127.0.0.1:9464/api/calls'(reader, run) {
      const gateway = await reader.take(FIRST);
      sessions = await comeIn(gateway.url);
      const calls = await until('all calls are under way', async () => {
        const all = callsOf(await run());
        return all.length === CALLS && all;
      });
      const ages = calls.map(({ age_ms }) => age_ms);
      assert.deepEqual(ages, ages.toSorted((one, other) => other - one), 'the oldest first');
    },
    async 'as_operator -X DELETE'(reader, run) {
      const said = await run();
      assert.equal(answerOf(said).status, 200, said.out);
      await until('its client hears 404', async () => (await sessions[0].ping()).status === 404);
    },
    async 'troupe sessions'(reader, run) {
      const said = await run();
      assert.equal(said.code, 0, said.err);
      assert.equal(said.out.split('\n').filter((line) => /^ *\d/.test(line)).length, SESSIONS - 1, said.out);
    },
    async 'troupe top'(reader, run) {
      const said = await run();
      assert.equal(said.code, 0, said.err);
      assert.equal(said.out.match(/\bslow\b/g).length, CALLS, said.out);
    },
    async 'troupe end 7 3'(reader, run) {
      const said = await run();
      assert.equal(said.code, 0, said.err);
      const left = callsOf(await reader.run('as_operator http://127.0.0.1:9464/api/calls'));
      assert.equal(left.length, CALLS - 1);
      assert.ok(left.every(({ number }) => number !== 3));
      for (const session of sessions) await (await session.delete()).done;
    },
    async "as_operator http://127.0.0.1:9464/metrics | grep '^mcp"(reader, run) {
      const said = await run();
      assert.match(said.out, /mcp_method_name="initialize".* 7$/m);
    },
    async 'OTEL_EXPORTER_OTLP_ENDPOINT='(reader, run) {
      const gateway = await run();
      const session = await openSession(gateway.url);
      await session.call(1, 'echo', { message: 'm' });
      await until('its span is there', () => collector.spans.some(({ name }) => name === 'tools/call echo'));
    },
  },
  more: {
    'Prometheus takes the file'(reader) {
      const { status, stdout, stderr } =
        spawnSync('promtool', ['check', 'config', join(reader.home, 'prometheus.yml')], { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    },
  },
});
