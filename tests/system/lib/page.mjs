// The pages: README and those of deploy/doc. Their blocks, and the commands and files in these.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { deployed, readDeployed } from './balancer.mjs';

export const README = 'README.md';
export const PAGES = [README, ...readdirSync(deployed('doc')).toSorted()];
// Those that a test of its own follows, by its name; all others are followed by followed.test.mjs.
export const FOLLOWED = {
  'exposing.md': 'exposing', 'nodes.md': 'nodes-page', 'operators.md': 'operators-page', 'start.md': 'first-use',
};

const pathOf = (name) => (name === README ? `../${name}` : `doc/${name}`);
export const textOf = (name) => readDeployed(pathOf(name));

// A block of a page: its language, and its lines as one text.
const FENCE = /^```(\w+)\n(.*?)^```$/gms;
const blocksIn = (text) => [...text.matchAll(FENCE)].map(([, language, content]) => ({ language, content }));

// The blocks of a page, by the headings of its parts; those before the first have none.
export function readPage(name) {
  const [first, ...parts] = textOf(name).split(/^## /m);
  const named = parts.map((part) => [part.slice(0, part.indexOf('\n')), blocksIn(part)]);
  return new Map([['', blocksIn(first)], ...named]);
}

export const blocksOf = (name, language) =>
  [...readPage(name).values()].flat().filter((block) => block.language === language);

// Whether a shell has no more to read before it runs this.
function isWhole(code) {
  if (code.endsWith('\\')) return false;
  return spawnSync('bash', ['-n'], { input: code }).status === 0;
}

// Each command of a block, which may go over several lines. What the page says of it in a comment, such as its answer's
// status, goes with it.
export function commandsIn({ content }) {
  const commands = [];
  let open = '';
  for (const line of content.split('\n')) {
    const [, code, comment = ''] = /^(.*?)(?:\s+# (.*))?$/.exec(line);
    open += open ? `\n${code}` : code;
    if (!open || !isWhole(open)) continue;
    commands.push({ command: open, comment });
    open = '';
  }
  if (open) throw new Error(`a command without an end: ${open}`);
  return commands;
}

export const commandsOf = (name) => blocksOf(name, 'sh').flatMap(commandsIn);

// What stands in the text as code.
export const codeIn = (name) =>
  [...textOf(name).replace(FENCE, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code.replace(/\s+/g, ' '));

// The name of the file that a block is, which its first line tells in a comment.
export const fileNameOf = ({ language, content }) =>
  language === 'sh' ? undefined : /^(?:\/\/|#) (\S+\.\w+)\n/.exec(content)?.[1];
