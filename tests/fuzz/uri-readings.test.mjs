// Every reading of a URI by Node and Python is among the readings that the gateway checks: the whole URI, its path, and
// the resolved file. TROUPE_URIS=1000000 tests more URIs than the default.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { random } from '../system/lib/random.mjs';

const COUNT = Number(process.env.TROUPE_URIS ?? 4_000);

const SCHEMES = ['file', 'file', 'file', 'FILE', 'File', 'http', 'https', 'ws', 'ftp', 'note', 'x-y'];
const PARTS = [':', ':/', '://', '://', ':///', ':///', ':////', ':\\\\', ':\\/', ':/\\/', ':?', ':#'];
const HOSTS = [
  '', '', '', 'localhost', 'LOCALHOST', 'host', 'Host.Example', 'u@h', 'u:p@h:80', 'h:443', 'h:007', 'h:', '[::1]',
  '127.0.0.1', '1.2', 'é', 'C:', 'c|', 'h%41',
];
const PIECES = [
  'public', 'secret', 's.txt', '..', '..', '..', '.', '/..', '/../', '/./', '%2e', '%2E%2e', '%2f', '%2F', '%5c', '%00',
  '%25', '%252e', '%41', '%C3%A9', '%zz', '%', '[', ']', '|', 'C:', 'c|', 'a:b', '^', '{', '}', 'a b', 'é', '😀', '\\',
  '/', '//', ';', ';x', '?', '#', '##', '@', ':', '\t', '\n', ' ', '\0', '\u0001', '\u007f', '&', "'", '"', '<', '>', '`',
  '+', '~',
];

function someUris(seed, count) {
  const { below, pick } = random(seed);
  const piece = () => pick(['', '/', '/']) + pick(PIECES);
  return Array.from({ length: count }, () => {
    const rest = Array.from({ length: below(9) }, piece).join('');
    return pick(['', '', '', ' ', '\u0001', '\t']) + pick(SCHEMES) + pick(PARTS) + pick(HOSTS) + rest;
  });
}

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

// The readings of each URI by a program, which exchanges lines of JSON.
function linesOf(program, args, asked) {
  const input = asked.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { error, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (error?.code === 'ENOENT') return undefined;
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
}

// A file is local, whatever the host of its URI.
function nodeReads(uri) {
  const url = attempt(() => new URL(uri));
  if (!url) return [];
  const isFile = url.protocol === 'file:';
  const start = isFile ? 'file://' : url.host ? `${url.protocol}//${url.host}` : url.protocol;
  // Behind `.|` some versions of Node keep dot segments (`ws://a/.|//./`), contrary to their own rules.
  const isResolved = /^(file|ftp|https?|wss?):$/.test(url.protocol);
  const pathname = isResolved ? url.pathname.replace(/\/\.(?=\/|$)/g, '') : url.pathname;
  const decoded = attempt(() => decodeURIComponent(pathname));
  const paths = [pathname, decoded, isFile ? attempt(() => fileURLToPath(url)) : undefined];
  for (const one of [pathname, decoded])
    if (one?.startsWith('/')) paths.push(path.posix.normalize(one), path.posix.resolve(one));
  const result = paths.filter((one) => one !== undefined).map((one) => start + one);
  // Rules do not cover the host of a file, which may be spelled differently here.
  if (!url.username && !url.password && !(isFile && /\d|xn--/.test(url.host))) result.push(url.href.replace(url.pathname, () => pathname));
  return result;
}

const PYTHON = `
import json, posixpath, sys
from urllib.parse import unquote, urlparse
for line in sys.stdin:
    read, result = None, []
    try:
        read = urlparse(json.loads(line))
    except ValueError:
        pass
    for path in (read.path, unquote(read.path)) if read else ():
        paths = [path] + (['/' + posixpath.normpath(path).lstrip('/')] if path.startswith('/') else [])
        start = 'file://' if read.scheme == 'file' else read.scheme + ':' + ('//' + read.netloc if read.netloc else '')
        result += [start + one for one in paths]
    print(json.dumps(result))
`;

// Versions of Node disagree on whether a caret is escaped. Invalid UTF-8 is replaced.
const plain = (text) => text.replaceAll('%5E', '^');
const isWhole = (text) => !text.includes('\ufffd');

for (const seed of [1, randomInt(2 ** 31)])
  test(`of URIs with the seed ${seed} all readings are judged`, (t) => {
    const uris = someUris(seed, COUNT / 2);
    const judged = linesOf(process.env.TROUPE, [], uris);
    const byPython = linesOf('python3', ['-c', PYTHON], uris);
    if (!byPython) t.diagnostic('there is no python3: what it reads was not compared');
    for (const [index, uri] of uris.entries()) {
      const known = judged[index] && new Set(judged[index].map(plain));
      for (const reading of [...nodeReads(uri), ...(byPython?.[index] ?? [])].filter(isWhole))
        assert.ok(!known || known.has(plain(reading)), `${JSON.stringify(uri)} is read as ${JSON.stringify(reading)}`);
    }
    // URIs with unclear readings are refused. Most URIs must have clear ones.
    assert.ok(judged.filter((one) => one).length > 0.7 * uris.length);
  });

// A different spelling of the URI that leads every server to the same file.
function respelled(uri, { below, pick }) {
  const escaped = (c) => `%${Buffer.from(c).toString('hex').replace(/../g, (byte, at) => (at ? `%${byte}` : byte))}`;
  const [, scheme, path] = /^(\w+):\/\/\/(.*)$/.exec(uri);
  const written = [...path].map((c) => (c !== '/' && below(6) === 0 ? pick([escaped(c), escaped(c).toUpperCase()]) : c));
  const dotted = written.join('').replace(/\//g, () => pick(['/', '/', '/', '/./', '//', '/x/../']));
  return pick([scheme, scheme.toUpperCase()]) + pick([':///', ':/', '://localhost/', '://LOCALHOST/']) + dotted;
}

for (const seed of [1, randomInt(2 ** 31)])
  test(`a rule for a URI with the seed ${seed} holds for it in all spellings`, () => {
    const chance = random(seed);
    const names = ['secret', 'r&d', 'café', 'a b', 's.txt', 'team@x', '{x}', 'a;b', '😀', "it's", 'a+b', '[x]', 'c:d', '^'];
    const plain = () => `file:///${Array.from({ length: 1 + chance.below(4) }, () => chance.pick(names)).join('/')}`;
    const pairs = Array.from({ length: COUNT / 2 }, plain).map((uri) => {
      const under = chance.below(2) ? '/*' : '';
      return [respelled(uri, chance) + under, respelled(uri, chance) + under.replace('*', 'x')];
    });
    for (const [index, holds] of linesOf(process.env.TROUPE, [], pairs).entries())
      assert.ok(holds, `a rule for ${JSON.stringify(pairs[index][0])} does not hold for ${JSON.stringify(pairs[index][1])}`);
  });

for (const seed of [1, randomInt(2 ** 31)])
  test(`a rule for a URI with the seed ${seed} holds for what Node makes of it`, () => {
    const uris = someUris(seed, COUNT).filter((uri) => !uri.includes('?') && isWhole(attempt(() => new URL(uri).href) ?? '\ufffd'));
    const pairs = uris.map((uri) => [uri, new URL(uri).href]);
    for (const [index, holds] of linesOf(process.env.TROUPE, [], pairs).entries())
      assert.ok(holds, `a rule for ${JSON.stringify(uris[index])} does not hold for ${JSON.stringify(pairs[index][1])}`);
  });
