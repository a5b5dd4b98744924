// Replaces node:test for files whose tests are independent and mostly wait: some of them run concurrently.
import * as node from 'node:test';

let together = 4;
// The time limit of one test, as in tests/system/run. Here it does not apply to all tests together.
const LIMIT = 300_000;
// Tests in a suite run in sequence, unless the suite sets its concurrency.
const ALONE = { concurrency: 1, timeout: LIMIT };

const told = [];
let begun = false;

function tellAll() {
  begun = true;
  for (const [kind, name, options, body] of told) node[kind](name, { ...ALONE, ...options }, body);
}

// Tests start when the file has registered all of them. A test within a suite belongs to that suite.
function tell(kind, name, ...rest) {
  if (begun) return node[kind](name, ...rest);
  if (told.push([kind, name, rest.length > 1 ? rest[0] : {}, rest.at(-1)]) > 1) return undefined;
  const begin = () => node.suite('at once', { concurrency: together, timeout: told.length * LIMIT }, tellAll);
  return void setImmediate(begin);
}

// Raises the number of concurrent tests, for files whose tests need few resources.
export const allow = (count) => void (together = count);

export const suite = (...what) => tell('suite', ...what);
export const test = (...what) => tell('test', ...what);
