// README and the pages that it leads to: their links lead somewhere, and the commands in them are ones that there are.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operate } from './lib/terminal.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const inFolder = (folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name));
const PAGES = ['README.md', '.github/CONTRIBUTING.md', 'tests/bench/README.md', ...inFolder('deploy/doc')];
const LONGEST_README = 120;

const read = (page) => readFileSync(join(ROOT, page), 'utf8');
const FENCES = /^```.*?^```$/gms;

// As GitHub makes them of headings.
const anchorOf = (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-');
const anchorsOf = (page) =>
  [...read(page).replace(FENCES, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading));

function linksOf(page) {
  const text = read(page).replace(FENCES, '').replace(/`[^`]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link).filter((link) => !link.startsWith('http'));
}

test('links lead to files, and to headings in them', () => {
  for (const page of PAGES)
    for (const link of linksOf(page)) {
      const [path, anchor] = link.split('#');
      const target = path ? relative(ROOT, join(ROOT, dirname(page), path)) : page;
      assert.ok(existsSync(join(ROOT, target)), `${page}: ${link}`);
      if (anchor) assert.ok(anchorsOf(target).includes(anchor), `${page}: ${link}`);
    }
});

test('README leads to each page, and is short', () => {
  const links = linksOf('README.md');
  for (const page of inFolder('deploy/doc')) assert.ok(links.includes(page), page);
  assert.ok(read('README.md').split('\n').length - 1 <= LONGEST_README);
});

// The words of each command of ours in the blocks for a shell, up to `--`, a pipe or a comment.
function commandsOf(page) {
  const blocks = [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block.replaceAll('\\\n', ' '));
  const lines = blocks.flatMap((block) => block.split('\n'));
  return lines
    .flatMap((line) => line.split(/ # |\||&&|;|\$\(|<\(|\)/))
    .map((command) => command.trim().split(/ -- |[<>]/)[0].trim().split(/\s+/))
    .filter(([program]) => program === 'troupe')
    .map(([, ...words]) => words);
}

const helped = new Map();
async function helpOf(words) {
  const name = words.join(' ');
  if (!helped.has(name)) helped.set(name, operate([...words, '--help']));
  return helped.get(name);
}

test('commands for a shell have commands and flags that there are', async () => {
  let count = 0;
  for (const page of PAGES)
    for (const words of commandsOf(page)) {
      const names = words.slice(0, words[0] === 'key' ? 2 : 1);
      const { code, out } = await helpOf(names);
      assert.equal(code, 0, `${page}: troupe ${words.join(' ')}`);
      assert.ok(out.includes(`\nUsage: troupe ${names.join(' ')} `), `${page}: troupe ${words.join(' ')}`);
      for (const word of words.filter((one) => /^--?[a-z]/.test(one))) {
        const flag = word.split('=')[0];
        assert.match(out, new RegExp(`^ +(-., )?${flag}\\b`, 'm'), `${page}: troupe ${words.join(' ')}`);
        ++count;
      }
    }
  assert.ok(count > 20, `${count} flags`);
});
