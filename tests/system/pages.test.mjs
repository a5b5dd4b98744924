// README and its linked pages: links are valid, commands exist and are run by a test or listed as not run, and printed
// configuration files are valid.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checked } from './lib/checked.mjs';
import { NOT_RUN, withoutVersion } from './lib/not-run.mjs';
import { blocksOf, commandsOf as wholeCommandsOf, fileNameOf, FOLLOWED, PAGES as RUN, textOf } from './lib/page.mjs';
import { operate } from './lib/terminal.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const inFolder = (folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name));
const PAGES = ['README.md', '.github/CONTRIBUTING.md', 'tests/bench/README.md', ...inFolder('deploy/doc')];
const LONGEST_README = 120;

const read = (page) => readFileSync(join(ROOT, page), 'utf8');
const FENCES = /^```.*?^```$/gms;

// The anchors that GitHub generates from headings.
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

// In a table, a name without a folder is that of a file in the last folder of its row.
function filesIn(line) {
  let folder;
  return [...line.matchAll(/`([\w./*-]+)`/g)].flatMap(([, name]) => {
    if (/^(protocol|net|actors|deploy|tests)\/./.test(name)) {
      folder = dirname(name);
      return [name];
    }
    return line.startsWith('|') && /^[\w*-]+\.([ch]pp|js)$/.test(name) ? [join(folder, name)] : [];
  });
}

const isFile = (path) => {
  const pattern = new RegExp(`^${basename(path).replaceAll('.', '\\.').replaceAll('*', '[\\w-]+')}$`);
  return existsSync(join(ROOT, dirname(path))) && readdirSync(join(ROOT, dirname(path))).some((one) => pattern.test(one));
};

test("the contributors' page names files that there are", () => {
  const files = read('.github/CONTRIBUTING.md').split('\n').flatMap(filesIn);
  for (const path of files) assert.ok(isFile(path), path);
  assert.ok(files.length > 150, `${files.length} files`);
});

test('README leads to each page, and is short', () => {
  const links = linksOf('README.md');
  for (const page of inFolder('deploy/doc')) assert.ok(links.includes(page), page);
  assert.ok(read('README.md').split('\n').length - 1 <= LONGEST_README);
});

// The commands in the text.
const inText = (page) =>
  [...read(page).replace(FENCES, '').matchAll(/`(troupe [a-z][^`]*)`/g)].map(([, command]) => command);

// The words of each troupe command in shell blocks and in the text, up to `--`, a pipe or a comment.
function commandsOf(page) {
  const blocks = [...read(page).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block.replaceAll('\\\n', ' '));
  const lines = blocks.flatMap((block) => block.split('\n'));
  return [...lines, ...inText(page)]
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

test('what no test runs is in a page, and said once', () => {
  for (const [page, commands] of Object.entries(NOT_RUN)) {
    const all = wholeCommandsOf(page).map(withoutVersion);
    for (const command of Object.keys(commands)) assert.ok(all.includes(command), `${page}: ${command}`);
  }
});

test('tests follow the pages that they are said to follow', () => {
  for (const [page, name] of Object.entries(FOLLOWED)) {
    assert.ok(RUN.includes(page), page);
    assert.ok(read(`tests/system/${name}.test.mjs`).includes(`Page('${page}'`), page);
  }
});

// -- configuration files

const SCHEMA = JSON.parse(read('deploy/config.schema.json'));
const keysIn = (value) =>
  value && typeof value === 'object'
    ? [...Object.keys(value.properties ?? {}), ...Object.values(value).flatMap(keysIn)] : [];
const KNOWN = new Set(keysIn(SCHEMA));

// Members of MCP messages.
const OF_MCP = ['cacheScope', 'resultType'];

// Values for the variables that a file needs.
const variablesOf = (text) =>
  Object.fromEntries([...text.matchAll(/\$\{(?:env:)?([A-Z_]+)\}/g)].map(([, name]) => [name, 'http://127.0.0.1:9']));

const filesOf = (page) =>
  [...blocksOf(page, 'json'), ...blocksOf(page, 'jsonc')].filter(({ content }) => content.includes('"mcpServers"'));

test('whole files of the pages are good ones', async () => {
  let count = 0;
  for (const page of RUN)
    for (const block of filesOf(page)) {
      const { content } = block;
      const name = fileNameOf(block);
      // A file with a name is tested by a command of the page, because it needs other files.
      if (name) {
        assert.ok(wholeCommandsOf(page).some(({ command }) => command.endsWith(`serve --config ${name}`)), name);
        continue;
      }
      // A program that is not installed is no error.
      const said = await checked(content, {}, variablesOf(content));
      const isGood = /^((.*: warning: .*\n)+|\d+ servers?, no problems\n)$/;
      assert.match(said, isGood, `${page}:\n${content}${said}`);
      ++count;
    }
  assert.ok(count >= 6, `${count} files`);
});

test('parts of files in the text have keys that there are', () => {
  let count = 0;
  for (const page of RUN) {
    const text = textOf(page).replace(FENCES, '');
    for (const [, part] of text.matchAll(/`("[A-Za-z]+": [^`]*)`/g)) {
      const keys = [...part.matchAll(/"([A-Za-z]+)": /g)].map(([, key]) => key).filter((key) => !OF_MCP.includes(key));
      for (const key of keys) assert.ok(KNOWN.has(key), `${page}: ${part}: ${key}`);
      ++count;
    }
  }
  assert.ok(count > 5, `${count} parts`);
});
