// The operators' console in a browser, of a gateway that is none.
import { openPage, skip } from './browser.mjs';
import { startMock } from './console-mock.mjs';

// An option of a test.
export const browser = { skip };

export async function mockFor(t, world, token) {
  const mock = await startMock(world, token);
  t.after(() => mock.stop());
  return mock;
}

// A page at a view of a world.
export async function viewOf(t, world, hash = '', options = {}) {
  const mock = await mockFor(t, world);
  const page = await openPage(t, `${mock.url}/#/${hash}`, options);
  return { mock, page, row: (text) => page.locator('tbody tr').filter({ hasText: text }), said: page.locator('#said') };
}

const titled = (page, title) => page.waitForFunction((its) => document.title === its, `${title} – Troupe`);

const TITLES = { '': 'Overview', calls: 'Calls', sessions: 'Sessions', servers: 'Servers', tree: 'Tree' };
const KINDS = { sessions: 'Session', servers: 'Server' };
export const VIEWS = ['', 'calls', 'sessions', 'sessions/1', 'servers', 'servers/files', 'tree'];

// Goes to a view, and comes back when it is shown, if with nothing yet.
export async function goTo(page, hash) {
  await page.evaluate((to) => (location.hash = `#/${to}`), hash);
  const [kind, name] = hash.split('/').map(decodeURIComponent);
  await titled(page, name === undefined ? TITLES[kind] : `${KINDS[kind]} ${name}`);
}

// The same by a link.
export async function follow(page, name) {
  await page.getByRole('link', { name, exact: true }).click();
  await titled(page, name);
}

// As a tab that is not looked at, until `window.isHidden` is false.
export function hide(page) {
  return page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

export const textOf = (locator) => locator.textContent();
