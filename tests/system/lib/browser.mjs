// Debian's Chromium without a window, which takes half the time.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { SLOWNESS } from './processes.mjs';

const PROGRAM = '/usr/bin/chromium-headless-shell';
// The browser's sandbox does not work for root.
const FLAGS = process.getuid() === 0 ? ['--no-sandbox'] : [];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// The option `skip` of a test: the reason why there is no browser.
export const skip = existsSync(PROGRAM) ? false : `there is no ${PROGRAM}: apt-get install chromium-headless-shell`;

let launched;

export async function closeBrowser() {
  await (await launched)?.close();
}

// A page that lives as long as the test. `page.complaints` has the errors that the browser logs, except expected
// failures.
export async function openPage(t, url, { expects = /(?!)/, ...options } = {}) {
  launched ??= chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  const context = await (
    await launched
  ).newContext({ viewport: { width: 1_280, height: 900 }, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(30_000 * SLOWNESS);
  t.after(() => context.close());
  const page = await context.newPage();
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.stack));
  page.on('console', (told) => {
    if (told.type() === 'error' && !expects.test(told.text())) page.complaints.push(told.text());
  });
  if (url) await page.goto(url);
  return page;
}

// The serious findings of an accessibility check. Its script is injected like by developer tools, past the page's
// policy.
export async function barriers(page) {
  const context = page.context();
  const tools = await context.newCDPSession(page);
  await tools.send('Runtime.evaluate', { expression: AXE });
  // Of all other findings a single example each is enough, which saves a third of the time.
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
  await tools.detach();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html, failureSummary }) => `${html} ${failureSummary}`)
          .slice(0, 3)
          .join(' | ')}`,
    );
}

export async function assertNoBarriers(page, where) {
  assert.deepEqual(await barriers(page), [], where);
}

// Resolves with a function that returns the longest task of the page's main thread since then, in milliseconds of its
// own time.
export async function longestTask(page) {
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  return async () => {
    const { traceEvents } = JSON.parse(await browser.stopTracing());
    const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
    const isMain = new Set(threads.map(({ pid, tid }) => `${pid}/${tid}`));
    const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && isMain.has(`${pid}/${tid}`));
    return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000));
  };
}
