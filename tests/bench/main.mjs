import { options } from './lib/options.mjs';

const { noticesWrongAnswers } = await import('./lib/proof.mjs');
const { calls } = await import('./lib/calls.mjs');
const { stateless } = await import('./lib/stateless.mjs');
const { connect } = await import('./lib/connect.mjs');
const { streams } = await import('./lib/streams.mjs');
const { churn, cluster, legacy, start, threads } = await import('./lib/others.mjs');
const { credentials } = await import('./lib/credentials.mjs');
const { watched } = await import('./lib/watched.mjs');
const { peers } = await import('./lib/peers.mjs');
const { text, writeReadme } = await import('./lib/report.mjs');

const MODES = { start, calls, stateless, threads, connect, streams, cluster, legacy, credentials, watched, churn };
// Only runs when named, because it installs the other bridges.
const NAMED_MODES = { ...MODES, peers };

const modes = options.modes.length ? options.modes : Object.keys(MODES);
const unknown = modes.find((mode) => !(mode in NAMED_MODES));
if (unknown) {
  console.error(`tests/bench/run: no mode ${unknown}: there are ${Object.keys(NAMED_MODES).join(', ')}`);
  process.exit(2);
}
await noticesWrongAnswers();
for (const mode of modes) await NAMED_MODES[mode]();
console.log(text());
if (options.out) writeReadme();
