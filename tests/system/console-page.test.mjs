// The operators' console as a page: many sessions, untrusted names, accessibility, and screen sizes.
import assert from 'node:assert/strict';
import { after, test as alone } from 'node:test';
import { test } from './lib/concurrently.mjs';
import { assertNoBarriers, closeBrowser, longestTask, openPage } from './lib/browser.mjs';
import { browser, follow, goTo, hide, mockFor, textOf, viewOf, VIEWS } from './lib/console.mjs';
import { MARKUP, World } from './lib/console-world.mjs';
import { steady, until } from './lib/until.mjs';

const TOKEN = 'a-token-of-operators';
const ENOUGH = 10_000;

after(closeBrowser);

const focused = (page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent);

// -- ten thousand sessions -------------------------------------------------------------------

// The longest allowed task of the page in milliseconds, on a busy machine. The slowest measured one took 248.
const NOTICED = 400;

// Runs before the others, because the browser traces all of its pages.
alone('ten thousand sessions are paged and filtered without freezing', browser, async (t) => {
  const mock = await mockFor(t, new World({ sessions: ENOUGH }));
  const page = await openPage(t);
  const longest = await longestTask(page);
  await page.goto(`${mock.url}/#/sessions`);
  const first = page.locator('tbody th').first();
  const total = page.locator('.total');
  await first.waitFor();
  assert.equal(await textOf(total), '100 of 10,000 sessions and leases');
  const next = page.getByRole('button', { name: 'Next' });
  for (const start of ['101', '201']) {
    await next.click();
    await until('the next page is there', async () => (await textOf(first)) === start);
  }
  await page.getByRole('button', { name: 'Previous' }).click();
  await until('it goes back', async () => (await textOf(first)) === '101');
  await page.getByLabel('Doing').selectOption('false');
  await page.getByLabel('Server').fill('github');
  await until('it is filtered', async () => /of 1,\d\d\d sessions/.test(await textOf(total)));
  assert.match(page.url(), /server=github&idle=false/);
  for (const name of ['Tree', 'Calls', 'Servers', 'Overview']) {
    await follow(page, name);
    await page.locator('main :is(tbody tr, .tree li)').first().waitFor();
  }
  const took = await longest();
  assert.ok(took > 0 && took < NOTICED, `the page computed for ${took} ms at a time`);
});

// -- unauthenticated peers -------------------------------------------------------------------

test('a name with markup stays text, wherever it is shown', browser, async (t) => {
  const world = new World({ sessions: 60, every: 5 });
  world.addCall(4, MARKUP, 99_000, MARKUP);
  Object.assign(world.servers.get('files'), { name: MARKUP });
  const { page } = await viewOf(t, world);
  for (const hash of ['', 'calls', 'sessions', 'sessions/4', 'servers', 'servers/weather', 'tree']) {
    await goTo(page, hash);
    await page.getByText(MARKUP).first().waitFor();
    assert.equal(await page.locator('main :is(img, b:not(.plot b))').count(), 0, hash);
  }
  await goTo(page, `servers/${encodeURIComponent(MARKUP)}`);
  assert.equal(await textOf(page.locator('main h1 bdi')), MARKUP);
  await page.evaluate(() => (location.hash = '#/nothing/%E0%A4%A'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await goTo(page, 'sessions/4');
  await page.getByRole('button', { name: /End .*onerror/ }).click();
  assert.equal(await page.locator('dialog :is(img, b)').count(), 0);
  assert.equal(await page.evaluate(() => window.hurt), undefined);
});

test('no script but its own runs, and nothing of it breaks the policy', browser, async (t) => {
  const { page } = await viewOf(t, new World());
  await page.locator('tbody tr').first().waitFor();
  assert.deepEqual(page.complaints, []);
  const violated = await page.evaluate(async () => {
    const told = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => told.push(effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.hurt = 1';
    document.body.append(script);
    document.body.insertAdjacentHTML('beforeend', '<p onclick="window.hurt = 1" style="color: red" id="injected"></p>');
    document.querySelector('#injected').click();
    await fetch('http://127.0.0.1:9/').catch(() => {});
    await new Promise((resolve) => setTimeout(resolve));
    return { told, hurt: window.hurt };
  });
  assert.equal(violated.hurt, undefined);
  assert.deepEqual([...new Set(violated.told)].sort(), [
    'connect-src',
    'script-src-attr',
    'script-src-elem',
    'style-src-attr',
  ]);
});

test('the token is asked for once, and is in no URL', browser, async (t) => {
  const mock = await mockFor(t, new World({ sessions: 3 }), TOKEN);
  const page = await openPage(t, `${mock.url}/#/sessions`, { expects: /401/ });
  const token = page.getByLabel('Token of operators');
  await token.fill('tökén');
  await page.keyboard.press('Enter');
  await page.getByText('A token has letters, digits and signs of ASCII only').waitFor();
  await page.evaluate(() => (location.hash = '#/calls'));
  await until('the place is another', async () => (await page.locator('[aria-current]').textContent()) === 'Calls');
  await page.evaluate(() => (location.hash = '#/sessions'));
  await token.fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The gateway does not take this token.').waitFor();
  assert.equal(await token.inputValue(), '');
  await token.fill(TOKEN);
  await page.keyboard.press('Enter');
  await until('its sessions are there', async () => (await page.locator('tbody tr').count()) === 3);
  await page.reload();
  await until('they are there again', async () => (await page.locator('tbody tr').count()) === 3);
  assert.ok(!page.url().includes(TOKEN) && !mock.asked.some((one) => one.includes(TOKEN)));
  assert.deepEqual(await page.evaluate(() => [localStorage.length, document.cookie]), [0, '']);
  mock.token = 'another-token';
  await page.getByText('The gateway does not take this token.').waitFor();
  assert.deepEqual(page.complaints, []);
});

// -- all callers -----------------------------------------------------------------------------

test('it goes on when the gateway does, and keeps what it showed', browser, async (t) => {
  const { mock, page, said } = await viewOf(t, new World({ sessions: 3 }), 'sessions', { expects: /Failed to load/ });
  const rows = page.locator('tbody tr');
  await until('they are there', async () => (await rows.count()) === 3);
  for (const broken of [0, 503]) {
    mock.broken = broken;
    const banner = page.locator('#banner');
    await banner.getByText(broken ? 'stopping' : 'does not answer').waitFor();
    assert.match(await textOf(banner), /What is shown is of .*The next try is in (4|8|16) s\./s);
    assert.equal(await rows.count(), 3);
    mock.broken = undefined;
    // Clicked by script, because the page may retry by itself before a mouse click arrives.
    await banner.getByRole('button', { name: 'Try now' }).evaluate((button) => button.click());
    await banner.waitFor({ state: 'hidden' });
    await until('that is said', async () => (await textOf(said)) === 'The gateway answers again.');
  }
});

test('a page that is hidden asks for nothing', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World());
  await page.locator('tbody tr').first().waitFor();
  await hide(page);
  const quiet = await steady('what is asked', () => mock.asked.length, 150);
  await page.evaluate(() => {
    window.isHidden = false;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await until('it asks again', () => mock.asked.length > quiet);
});

test('the keyboard alone finds a call and ends it, and the focus stays where it was', browser, async (t) => {
  const world = new World({ sessions: 2, every: 1_000 });
  for (const name of ['second', 'third']) world.addCall(2, name, 60_000);
  world.addCall(2, 'first', 600_000);
  const { page, row } = await viewOf(t, world);
  const tabTo = (what) =>
    until(`${what} has the focus`, async () => {
      await page.keyboard.press('Tab');
      return new RegExp(what).test(await focused(page));
    });
  await row('first').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to the content');
  await tabTo('^Calls$');
  await page.keyboard.press('Enter');
  await until('the title has it', async () => (await focused(page)) === 'Calls in flight');
  await row('first').waitFor();
  await tabTo('^End .*first');
  await page.keyboard.press('Enter');
  assert.equal(await focused(page), 'Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await until('it is gone', async () => (await row('first').count()) === 0);
  await until('the next has the focus', async () => /^End .*(second|third)/.test(await focused(page)));
  const before = await focused(page);
  world.addCall(2, 'older', 9_000_000);
  await row('older').waitFor();
  assert.equal(await focused(page), before);
});

for (const colorScheme of ['light', 'dark'])
  test(`nobody is kept out: no serious barriers in ${colorScheme}`, browser, async (t) => {
    const world = new World({ sessions: 60, node: 'a', nodes: ['b'] });
    const { mock, page } = await viewOf(t, world, '', { colorScheme });
    mock.worlds.set('b', new World({ node: 'b' }));
    for (const hash of VIEWS) {
      await goTo(page, hash);
      await page.locator('main :is(tbody tr, .tree li)').first().waitFor();
      await assertNoBarriers(page, hash);
    }
    await page.getByRole('button', { name: 'Gateway' }).click();
    await assertNoBarriers(page, 'menu');
    await page.getByRole('button', { name: 'Drain…' }).click();
    await assertNoBarriers(page, 'dialog');
  });

test('a phone shows it whole', browser, async (t) => {
  const { page } = await viewOf(t, new World(), '', {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  for (const hash of VIEWS) {
    await goTo(page, hash);
    await page.locator('main :is(tbody tr, .tree li)').first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, hash);
    await assertNoBarriers(page, hash);
  }
});
