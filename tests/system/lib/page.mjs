// Parses the pages (README and deploy/doc): their blocks, commands and files.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { deployed, readDeployed } from './balancer.mjs';

export const README = 'README.md';
export const PAGES = [README, ...readdirSync(deployed('doc')).toSorted()];
// Pages that have a test of their own, by its name. followed.test.mjs follows all others.
export const FOLLOWED = {
  'exposing.md': 'exposing', 'nodes.md': 'nodes-page', 'operators.md': 'operators-page', 'start.md': 'first-use',
};

const pathOf = (name) => (name === README ? `../${name}` : `doc/${name}`);
export const textOf = (name) => readDeployed(pathOf(name));

// A fenced block: its language, and its content.
const FENCE = /^```(\w+)\n(.*?)^```$/gms;
const blocksIn = (text) => [...text.matchAll(FENCE)].map(([, language, content]) => ({ language, content }));

// The blocks of a page, by headings. Blocks before the first heading have none.
export function readPage(name) {
  const [first, ...parts] = textOf(name).split(/^## /m);
  const named = parts.map((part) => [part.slice(0, part.indexOf('\n')), blocksIn(part)]);
  return new Map([['', blocksIn(first)], ...named]);
}

export const blocksOf = (name, language) =>
  [...readPage(name).values()].flat().filter((block) => block.language === language);

// Whether a shell could run this without further lines.
function isWhole(code) {
  if (code.endsWith('\\')) return false;
  return spawnSync('bash', ['-n'], { input: code }).status === 0;
}

// The commands of a block, which may span lines. A comment of the page, such as the expected status, stays with its
// command.
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

// The inline code in the text.
export const codeIn = (name) =>
  [...textOf(name).replace(FENCE, '').matchAll(/`([^`]+)`/g)].map(([, code]) => code.replace(/\s+/g, ' '));

// The file name of a block, from the comment in its first line.
export const fileNameOf = ({ language, content }) =>
  language === 'sh' ? undefined : /^(?:\/\/|#) (\S+\.\w+)\n/.exec(content)?.[1];
