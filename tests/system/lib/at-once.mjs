// Tests and suites of a file that stand each on its own and mostly wait: some at once. In the place of node:test's.
import * as node from 'node:test';

let together = 4;
// As tests/system/run has it for one test; here it is not for all of them.
const LIMIT = 300_000;
// What is in a suite comes one after the other, unless the suite says something else.
const ALONE = { concurrency: 1, timeout: LIMIT };

const told = [];
let begun = false;

function tellAll() {
  begun = true;
  for (const [kind, name, options, body] of told) node[kind](name, { ...ALONE, ...options }, body);
}

// They begin when the file has named all of them. Those in a suite are of the suite.
function tell(kind, name, ...rest) {
  if (begun) return node[kind](name, ...rest);
  if (told.push([kind, name, rest.length > 1 ? rest[0] : {}, rest.at(-1)]) > 1) return undefined;
  const begin = () => node.suite('at once', { concurrency: together, timeout: told.length * LIMIT }, tellAll);
  return void setImmediate(begin);
}

// Said by a file whose tests need little of the machine: so many at once.
export const allow = (count) => void (together = count);

export const suite = (...what) => tell('suite', ...what);
export const test = (...what) => tell('test', ...what);
