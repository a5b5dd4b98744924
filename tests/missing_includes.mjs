#!/usr/bin/env node
// Fails when a file calls a function whose header it includes neither directly nor indirectly. Most presets compile
// sources in groups, where an earlier source may have included it. Only `dev` detects that, which `deploy/test` does
// not build. Prints each offence, with file and line. It relies on the format of the files: a declaration in a
// namespace begins its line, anything else is indented.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, ROOT, sources } from './sources.cjs';

process.chdir(ROOT);

const files = new Set(sources());

const INCLUDE = /^#include "(.*)"/gm;
const DECLARED = /^(?!using|namespace|template|#|static_assert)[a-zA-Z[][^\n;={}]*?\b(\w+)\(/gm;
const CALL = /(?<![\w.:>~])(?:(?:troupe|protocol|net|actors)::)*(?!void\b)(\w+)\(/g;
// Patterns that show that a name is not a call: a name before a parenthesis, a type, or an assigned variable.
const NAMED = /(\w+)(?=\s*[({=])|(?:class|struct|enum|typename) (\w+)/g;

const all = (text, pattern) => [...text.matchAll(pattern)];
const namesIn = (text, pattern) => all(text, pattern).map(([, one, other]) => one ?? other);

function read(file) {
  const whole = readFileSync(file, 'utf8');
  const includes = all(whole, INCLUDE).map(([, name]) => [name, join(dirname(file), name)].find((path) => files.has(path)));
  const text = codeOf(whole);
  return { file, text, includes: includes.filter(Boolean), declares: namesIn(text, DECLARED), names: namesIn(text, NAMED) };
}

const contents = new Map([...files].map((file) => [file, read(file)]));
const headers = [...contents.values()].filter(({ file }) => file.endsWith('.hpp'));
const homes = new Map(headers.flatMap(({ file, declares }) => declares.map((name) => [name, file])));

function seenFrom(file) {
  const seen = new Set([file]);
  for (const one of seen) for (const other of contents.get(one).includes) seen.add(other);
  return seen;
}

// Whether the file declares a function, a parameter or a variable of this name.
const hasItsOwn = (text, name) =>
  new RegExp(`(?<!\\b(?:return|else|co_return|case|throw|new)\\b)(?<=[\\w>)][>&*]*[ &*]+)${name}\\b(?= ?[({=;,)\\]:])`).test(text);

function missing({ file, text }) {
  const seen = seenFrom(file);
  const known = new Set([...seen].filter((one) => one !== file).flatMap((one) => contents.get(one).names));
  const isMissing = (name) => homes.has(name) && !known.has(name) && !hasItsOwn(text, name);
  return all(text, CALL).filter(([, name]) => isMissing(name)).map(({ index, 1: name }) => {
    const line = text.slice(0, index).split('\n').length;
    return `${file}:${line}: ${name} is declared in ${homes.get(name)}, which it does not include`;
  });
}

const offences = [...contents.values()].flatMap(missing);
offences.forEach((offence) => console.log(offence));
process.exitCode = offences.length > 0 ? 1 : 0;
