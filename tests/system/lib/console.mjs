// The operators' console in a browser, for a mock gateway.
import { openPage, skip } from './browser.mjs';
import { startMock } from './console-mock.mjs';

// The options of a test that needs a browser.
export const browser = { skip };

export async function mockFor(t, world, token) {
  const mock = await startMock(world, token);
  t.after(() => mock.stop());
  return mock;
}

// Opens a page at a view of a mock gateway.
export async function viewOf(t, world, hash = '', options = {}) {
  const mock = await mockFor(t, world);
  const page = await openPage(t, `${mock.url}/#/${hash}`, options);
  return { mock, page, row: (text) => page.locator('tbody tr').filter({ hasText: text }), said: page.locator('#said') };
}

const titled = (page, title) => page.waitForFunction((its) => document.title === its, `${title} – Troupe`);

const TITLES = { '': 'Overview', calls: 'Calls', sessions: 'Sessions', servers: 'Servers', tree: 'Tree' };
const KINDS = { sessions: 'Session', servers: 'Server' };
export const VIEWS = ['', 'calls', 'sessions', 'sessions/1', 'servers', 'servers/files', 'tree'];

// Goes to a view, and resolves when it is shown, even if it is empty.
export async function goTo(page, hash) {
  await page.evaluate((to) => (location.hash = `#/${to}`), hash);
  const [kind, name] = hash.split('/').map(decodeURIComponent);
  await titled(page, name === undefined ? TITLES[kind] : `${KINDS[kind]} ${name}`);
}

// Goes to a view by a link.
export async function follow(page, name) {
  await page.getByRole('link', { name, exact: true }).click();
  await titled(page, name);
}

// Makes the page a hidden tab until `window.isHidden` is false.
export function hide(page) {
  return page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

export const textOf = (locator) => locator.textContent();
