// Follows a page from top to bottom: its commands must do what it says.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { lasting } from './cluster.mjs';
import { isRun } from './not-run.mjs';
import { commandsIn, fileNameOf, readPage } from './page.mjs';
import { assertDone, Reader } from './page-reader.mjs';

// Handles a block like a reader: writes the file, or runs the commands.
async function take(block, page, reader, around) {
  if (fileNameOf(block)) reader.write(block);
  if (block.language !== 'sh') return;
  for (const one of commandsIn(block).filter((each) => isRun(page, each))) {
    const special = Object.keys(around).find((begin) => one.command.startsWith(begin));
    const run = () => reader.take(one);
    if (special) await around[special](reader, run, one);
    else assertDone(await run());
  }
}

const commandsOf = (blocks) => blocks.filter(({ language }) => language === 'sh').flatMap(commandsIn);

// `prepare` runs first, with the reader. `around` maps the beginnings of commands to functions, which get the reader, a
// function that runs the command, and the command with its comment. All other commands have to succeed, or to end as
// the page says. `more` are tests at the end.
export function followPage(page, { prepare = () => {}, around = {}, more = {} } = {}) {
  const parts = [...readPage(page)];
  const isWork = (block) => fileNameOf(block) || commandsOf([block]).some((one) => isRun(page, one));
  const hasWork = ([, blocks]) => blocks.some(isWork);
  if (!parts.some(hasWork)) return;
  suite(`the page ${page}`, () => {
    const t = lasting();
    let reader;
    before(async () => {
      reader = await Reader.begin(t);
      await prepare(reader, t);
    });
    after(() => t.end());

    for (const [part, blocks] of parts.filter(hasWork))
      test(part || 'its beginning', async () => {
        for (const block of blocks) await take(block, page, reader, around);
      });

    for (const [name, body] of Object.entries(more)) test(name, (context) => body(reader, context));

    test('it has the commands that this test is about', () => {
      const all = parts.flatMap(([, blocks]) => commandsOf(blocks)).filter((one) => isRun(page, one));
      for (const begin of Object.keys(around))
        assert.ok(all.some(({ command }) => command.startsWith(begin)), begin);
    });
  });
}
