// Idle sessions with a stream each.
import { options } from './options.mjs';
import { each, inTurn, ratios } from './pairs.mjs';
import { atMost, note, row } from './report.mjs';
import { among, Floor, Troupe } from './sides.mjs';

const KIB = 1 / 1024;

const once = (start, given) => among([start()], (side) => side.load('streams', given));
const listening = (seconds) => ({ sessions: options.streams, rounds: options.rounds, settle: options.settle, seconds });

export async function streams() {
  const floor = () => once(() => Floor.start('http'), listening(0));
  const troupe = () => once(() => Troupe.start('shared'), listening(0));
  const results = await inTurn(options.streamPairs, { floor, troupe });
  const reached = ratios(results.troupe, results.floor, 'p50');
  const what = `a notification to ${options.streams} streams`;
  row(what, 'a loop of bare sends', results.floor);
  row(what, 'Troupe (ratio of p50)', results.troupe, reached);
  atMost(`${what}, until the last has it, against a loop of bare sends`, reached, 1.3, 1.6);
  atMost('a session on a shared server, memory', each(results.troupe, 'session_bytes', KIB), 3, 4.5, ' KiB');
  atMost('the same with its stream', each(results.troupe, 'session_and_stream_bytes', KIB), 6, 8, ' KiB');
  const idle = await once(() => Troupe.start('shared'), { ...listening(options.idle), rounds: 0 });
  atMost(`idle with ${options.streams} streams, of a core`, [idle.idle_cpu * 100], 0.1, 0.5, ' %');
  const left = results.troupe.map(({ after_bytes, base_bytes }) => (after_bytes - base_bytes) * KIB * KIB);
  atMost('resident when they have ended, above one session', left, 4, 8, ' MiB');
  const mebibytes = (name) => (results.troupe[0][name] * KIB * KIB).toFixed(1);
  note(`Resident with one session ${mebibytes('base_bytes')} MiB, with ${options.streams} streams ` +
       `${mebibytes('resident_bytes')} MiB, when they have ended ${mebibytes('after_bytes')} MiB.`);
}
