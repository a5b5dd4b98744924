// Sessions that begin and end.
import { options } from './options.mjs';
import { inTurn, ratios } from './pairs.mjs';
import { atLeast, atMost, row } from './report.mjs';
import { among, Floor, Troupe } from './sides.mjs';

const NAMES = { shared: 'one process', session: 'a process each', pool: 'a pool' };

export async function connect() {
  const sides = [Floor.start('http'), ...Object.keys(NAMES).map((sharing) => Troupe.start(sharing))];
  await among(sides, async (floor, shared, session, pool) => {
    const together = { floor, shared, session, pool };
    const loads = (given, names) =>
      Object.fromEntries(names.map((name) => [name, () => together[name].load('connect', given)]));
    const sessions = options.connectors;
    const busy = await inTurn(options.pairs, loads({ sessions }, ['floor', 'shared', 'session', 'pool']));
    row(`connect, ${sessions} at a time`, 'floor-http', busy.floor);
    for (const [name, text] of Object.entries(NAMES))
      row(`connect, ${sessions} at a time`, `Troupe, ${text}`, busy[name], ratios(busy[name], busy.floor));
    atLeast('connects, one process, throughput', ratios(busy.shared, busy.floor), 0.7, 0.5);
    // A pool only helps clients that arrive when it is full.
    const paced = await inTurn(options.pairs, loads({ sessions: 1, pace: 0.02 }, ['shared', 'session', 'pool']));
    for (const [name, text] of Object.entries(NAMES)) row('connect, one each 20 ms', `Troupe, ${text}`, paced[name]);
    const begun = ratios(paced.pool, paced.shared, 'begin_p50');
    atMost('the beginning of a session with a pool against one process', begun, 1.5, 3);
  });
}
