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

// As a tab that is not looked at, until `window.isHidden` is false.
export function hide(page) {
  return page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

export const textOf = (locator) => locator.textContent();
