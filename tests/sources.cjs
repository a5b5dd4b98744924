// Shared by tests/shape and missing_includes.mjs: the product's C++ files, and their code without literals and comments.
'use strict';
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const LIST = ". tests/files.sh; files {protocol,net,actors,deploy}'/*.[hc]pp'";
const LITERAL = /R"(\w*)\([^]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)'(?:\\.|[^'\\\n])+'/g;
const COMMENT = /\/\/.*|\/\*[^]*?\*\//g;

const sources = () => execFileSync('bash', ['-c', LIST], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');

// Its lines stay where they are.
function codeOf(text) {
  const blank = (match) => match.replace(/[^\n]/g, ' ');
  return text.replace(LITERAL, blank).replace(COMMENT, blank).replace(/^#.*/gm, blank);
}

module.exports = { ROOT, sources, codeOf };
