// Shared by tests/shape and missing_includes.mjs: lists C++ files and removes literals and comments from their code.
'use strict';
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCES = "{protocol,net,actors,deploy}'/*.[hc]pp'";
const TESTS = "'tests/*.'{cpp,hpp,js,mjs,cjs,sh} tests/{bench,system}/run";
const LITERAL = /R"(\w*)\([^]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)'(?:\\.|[^'\\\n])+'/g;
const COMMENT = /\/\/.*|\/\*[^]*?\*\//g;

const list = (names) =>
  execFileSync('bash', ['-c', `. tests/files.sh; files ${names}`], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
const sources = () => list(SOURCES);
const tests = () => list(TESTS);

// The number of lines stays the same.
function codeOf(text) {
  const blank = (match) => match.replace(/[^\n]/g, ' ');
  return text.replace(LITERAL, blank).replace(COMMENT, blank).replace(/^#.*/gm, blank);
}

module.exports = { ROOT, sources, tests, codeOf };
