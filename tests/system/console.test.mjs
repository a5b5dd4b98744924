// The operators' console: its views and actions.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { test } from './lib/concurrently.mjs';
import { closeBrowser } from './lib/browser.mjs';
import { browser, goTo, hide, textOf, viewOf } from './lib/console.mjs';
import { MARKUP, World } from './lib/console-world.mjs';
import { steady, until } from './lib/until.mjs';

after(closeBrowser);

const confirm = (page, text) => page.locator('dialog').getByRole('button', { name: text }).click();

// -- live objects ----------------------------------------------------------------------------

test('sessions appear and go', browser, async (t) => {
  const world = new World({ sessions: 3 });
  const { page } = await viewOf(t, world, 'sessions');
  const rows = page.locator('tbody tr');
  await until('three are there', async () => (await rows.count()) === 3);
  world.addSession(9);
  await until('the fourth is there', async () => (await rows.count()) === 4);
  assert.equal(await textOf(rows.nth(3).locator('th')), '9');
  world.sessions.delete(1);
  await until('the first is gone', async () => (await textOf(rows.first().locator('th'))) === '2');
  assert.deepEqual(page.complaints, []);
});

test('the overview has rates and latencies of what happens', browser, async (t) => {
  const world = new World({ sessions: 5 });
  const { page } = await viewOf(t, world);
  // All values of the same moment, because the next reading differs.
  const values = () =>
    page.locator('.plot').evaluateAll((all) =>
      Object.fromEntries(
        all.map((plot) => [
          plot.querySelector('.title').textContent,
          [...plot.querySelectorAll('b')].map((one) => one.textContent),
        ]),
      ),
    );
  await until('there is a point', async () => (await values()).Requests?.[0] === '0.0/s');
  world.operate(100, 10);
  const told = await until('requests are seen', async () => {
    const now = await values();
    return now.Requests[0] !== '0.0/s' && now;
  });
  assert.match(told.Requests[0], /^[1-9][\d.]*\/s$/);
  assert.match(told.Errors[0], /^(?!0\.0)\d+\.\d\/s$/);
  assert.match(told.Latency[0], /^\d+ ms$/);
  assert.match(told.Latency[2], /^\d+ ms$|^\d\.\d s$/);
  assert.equal(told['Sessions and leases'][0], '5');
  await page.getByText('5 of 10,000').waitFor();
  const label = await page.locator('.plot svg').first().getAttribute('aria-label');
  assert.match(label, /^Latency, the last 1 min: p50 now .* at most .*; p95 .*; p99 /);
  assert.match(await textOf(page.locator('.limits')), /Kept events858 MiB of 1.0 GiB/);
});

test('the tree has nodes, their servers and processes, and their sessions, streams and calls', browser, async (t) => {
  const world = new World({ sessions: 2, node: 'a', nodes: ['b'] });
  const { mock, page } = await viewOf(t, world, 'tree');
  mock.worlds.set('b', new World({ sessions: 1, node: 'b', nodes: ['a'] }));
  const branch = (...names) =>
    names.reduce(
      (within, name) => within.locator(`li:has(> details > summary .what:text-is("${name}"))`),
      page.locator('.tree'),
    );
  await branch('a', 'servers', 'files').locator('summary').first().click();
  await until(
    'its processes are there',
    async () => (await branch('a', 'servers', 'files').locator('.leaf').count()) === 2,
  );
  await branch('a', 'sessions', 'session 1').locator('summary').first().click();
  const leaves = branch('a', 'sessions', 'session 1').locator('.leaf');
  await until('its calls are there', async () => (await leaves.count()) === 3);
  assert.match(await textOf(leaves.first()), /streams 1 primary, 1 call/);
  await branch('b').locator('summary').first().click();
  await branch('b', 'sessions').locator('summary').first().click();
  const other = branch('b', 'sessions', 'session 1');
  await until('the other node is asked', async () => (await other.count()) === 1);
  await other.getByRole('link', { name: 'Show session 1' }).first().click();
  await page.getByRole('heading', { name: 'Session 1' }).waitFor();
  assert.match(page.url(), /#\/sessions\/1\?node=b$/);
});

test('another node is shown when it is chosen', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World({ sessions: 2, node: 'a', nodes: ['b'] }), 'sessions');
  mock.worlds.set('b', new World({ sessions: 7, node: 'b', nodes: ['a'] }));
  await page.getByLabel('Node').selectOption('b');
  await until('its sessions are there', async () => (await page.locator('tbody tr').count()) === 7);
  assert.match(page.url(), /#\/sessions\?node=b$/);
  await page.getByRole('link', { name: 'Servers' }).click();
  await until('its servers are asked for', () => mock.asked.includes('GET /api/servers?node=b'));
});

// -- actions ---------------------------------------------------------------------------------

test('a call that hangs is found, leads to its session and its server, and is ended', browser, async (t) => {
  const world = new World({ sessions: 200 });
  world.addCall(77, 'hanging', 3_600_000, 'github');
  const { page, row, said } = await viewOf(t, world);
  await page.getByRole('link', { name: /^All \d+ calls$/ }).click();
  const first = page.locator('tbody tr').first();
  assert.match(await textOf(first), /1 h 00 mintools\/call hanginggithub77/);
  assert.equal(await first.getByRole('link', { name: 'github' }).getAttribute('href'), '#/servers/github');
  await first.getByRole('button', { name: 'Log of session 77' }).click();
  const { id } = world.sessions.get(77);
  assert.match(await textOf(page.locator('dialog')), new RegExp(`session=${id}`));
  await confirm(page, 'Close');
  await first.getByRole('link', { name: '77' }).click();
  await page.getByRole('heading', { name: 'Session 77' }).waitFor();
  await row('hanging')
    .getByRole('button', { name: /End .*tools\/call hanging.* of session 77/ })
    .click();
  assert.match(await textOf(page.locator('dialog')), /tools\/call hanging.* has run for 1 h 00 min/);
  await confirm(page, 'Cancel');
  assert.equal(world.sessions.get(77).calls.size, 1, 'it is still there');
  await row('hanging').getByRole('button', { name: 'End' }).click();
  await confirm(page, 'End the call');
  await until('it is ended', () => world.sessions.get(77).calls.size === 0);
  await until('that is said', async () => /^Ended: .*hanging.* of session 77\.$/.test(await textOf(said)));
  await until('it is seen', async () => (await row('hanging').count()) === 0);
});

test('what is asked about one node is not done at another', browser, async (t) => {
  const here = new World({ sessions: 3, node: 'a', nodes: ['b'] });
  const there = new World({ sessions: 3, node: 'b', nodes: ['a'] });
  const { mock, page } = await viewOf(t, here, 'sessions');
  mock.worlds.set('b', there);
  await page.getByLabel('Node').selectOption('b');
  const ofOther = page.locator('tbody a[href*="node=b"]').first();
  await ofOther.waitFor();
  await page.getByRole('button', { name: 'End session 1' }).click();
  await page.locator('dialog').waitFor();
  await page.goBack();
  await page.locator('dialog').waitFor({ state: 'hidden' });
  await page.goForward();
  await ofOther.waitFor();
  await page.getByRole('button', { name: 'End session 1' }).click();
  await confirm(page, 'End session 1');
  await until('it is ended', () => !there.sessions.has(1));
  assert.ok(here.sessions.has(1));
  assert.deepEqual(
    mock.asked.filter((one) => one.startsWith('DELETE')),
    ['DELETE /api/sessions/1?node=b'],
  );
});

test('nothing is known of another node, nor done at it, until it answers', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World({ node: 'a', nodes: ['b'] }), 'calls');
  const draining = page.getByRole('button', { name: 'Drain…' });
  await page.getByRole('button', { name: 'Gateway' }).click();
  await until('it can be drained', () => draining.isEnabled());
  await page.evaluate(() => (location.hash = '#/calls?node=b'));
  await until('the other cannot', () => draining.isDisabled());
  assert.equal(await textOf(page.locator('#state')), '');
  mock.worlds.set('b', new World({ node: 'b', nodes: ['a'] }));
  await until('it can when it answers', () => draining.isEnabled());
});

test('the numbers of a process that is gone end nothing of the next', browser, async (t) => {
  const world = new World({ sessions: 3, every: 1_000 });
  const { mock, page, said } = await viewOf(t, world, 'sessions');
  const end = page.getByRole('button', { name: 'End session 1' });
  await end.click();
  world.process = 124;
  await page.locator('dialog').waitFor({ state: 'hidden' });
  await end.waitFor();
  await hide(page);
  await steady('what is asked', () => mock.asked.length);
  await end.click();
  world.process = 125;
  await confirm(page, 'End session 1');
  await until('it is refused', async () => /^The session 1 was not ended: .* started anew/.test(await textOf(said)));
  assert.ok(world.sessions.has(1));
  assert.ok(!mock.asked.some((one) => one.startsWith('DELETE')));
});

test('a session is ended, and its page says that it is gone', browser, async (t) => {
  const world = new World({ sessions: 60 });
  const { page } = await viewOf(t, world, 'sessions/51');
  await page.getByRole('button', { name: 'End…' }).click();
  assert.match(await textOf(page.locator('dialog')), /End lease 51\?.* of .*ci-robot.*Its 1 call in flight will fail/);
  await confirm(page, 'End lease 51');
  await page.getByText('It is not there any more.').waitFor();
  assert.ok(!world.sessions.has(51));
  assert.ok(await page.getByRole('button', { name: 'End…' }).isDisabled());
});

test('a server that fails shows its last failures with what it wrote', browser, async (t) => {
  const world = new World();
  const { page, row } = await viewOf(t, world, 'servers/weather');
  const failures = page.locator('.failures > li');
  await until('its failures are shown', async () => (await failures.count()) === 3);
  const newest = await textOf(failures.first());
  assert.match(newest, /after 30 ms: exited with status 1/);
  assert.match(newest, /starting up\s+Error: WEATHER_KEY is not set/);
  assert.match(await textOf(page.locator('.facts')), /Failures\s*7/);
  world.servers.get('weather').last_failures.shift();
  world.servers.get('weather').last_failures.push({ at: new Date().toISOString(), why: 'killed', after_ms: 5, pid: 1 });
  world.servers.get('weather').failures += 1;
  await until('a new one comes first', async () => /killed/.test(await textOf(failures.first())));
  assert.equal(await failures.count(), 3);
  await page.getByRole('link', { name: 'Servers' }).click();
  assert.match(await textOf(row('weather')), /exited with status 1/);
  await row('files').getByRole('link').click();
  await until('a process is measured', async () => /MiB/.test(await textOf(page.locator('tbody tr').first())));
  assert.ok(await page.getByRole('heading', { name: 'Last failures' }).isHidden());
});

test('a server is restarted, disabled and enabled', browser, async (t) => {
  const world = new World();
  const files = world.servers.get('files');
  const [{ pid }] = files.processes;
  const { page, row, said } = await viewOf(t, world, 'servers/files');
  await row(String(pid)).waitFor();
  await page.getByRole('button', { name: 'Restart…' }).click();
  await confirm(page, 'Restart it');
  await until(
    'other processes run',
    async () => (await row(String(pid)).count()) === 0 && (await page.locator('tbody tr').count()) === 2,
  );
  assert.equal(files.restarts, 1);
  await page.getByRole('link', { name: 'Servers' }).click();
  await row('files').getByRole('button', { name: 'Disable' }).click();
  await confirm(page, 'Disable it');
  await row('files').getByRole('button', { name: 'Enable' }).click();
  await until('it is enabled', async () => files.enabled && /files.* is enabled/.test(await textOf(said)));
});

test('the gateway is reloaded, logs more, and drains', browser, async (t) => {
  const world = new World();
  const { mock, page, said } = await viewOf(t, world);
  const choose = async (name) => {
    await page.getByRole('button', { name: 'Gateway' }).click();
    await page.getByRole('button', { name }).click();
  };
  await choose('Reload the configuration…');
  await confirm(page, 'Reload');
  await until('it is reloaded', async () => (await textOf(said)) === 'The configuration was reloaded.');
  await page.getByRole('button', { name: 'Gateway' }).click();
  await page.getByRole('combobox', { name: 'Log level' }).selectOption('debug');
  await page.getByRole('button', { name: 'Set the log level' }).click();
  await until('it logs more', () => world.level === 'debug');
  await page.keyboard.press('Escape');
  await choose('Drain…');
  assert.match(await textOf(page.locator('dialog')), /cannot be taken back/);
  await confirm(page, 'Drain');
  await until('it drains', async () => world.draining && (await textOf(page.locator('#state'))) === 'draining');
  assert.ok(mock.asked.includes('POST /api/drain'));
});

test('messages of a session are followed', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World(), 'sessions/5');
  await page.getByLabel('with arguments and results').check();
  await page.getByRole('button', { name: 'Follow' }).click();
  await until('it is followed', () => mock.followers.size === 1);
  const told = {
    at_ms: Date.now(),
    from: 'client',
    kind: 'request',
    id: '3',
    method: 'tools/call',
    name: MARKUP,
    bytes: 120,
  };
  mock.tell('message', { ...told, message: { params: { arguments: { secret: 'of-a-client' } } } });
  mock.tell('lost', { messages: 5 });
  const table = page.locator('.follow table');
  await table.getByText('5 messages came too fast').waitFor();
  assert.match(await textOf(table), /client → serverrequesttools\/call <img /);
  assert.ok(!(await textOf(table)).includes('of-a-client'), 'what is not opened is not written out');
  await table.locator('summary').click();
  await table.getByText('of-a-client').waitFor();
  mock.tell('message', { ...told, from: 'server', kind: 'response', error: 'no such tool' });
  await table.getByText('no such tool').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await until('nobody follows', () => mock.followers.size === 0);
  await page.getByRole('button', { name: 'Follow' }).click();
  await until('it is followed again', () => mock.followers.size === 1);
  mock.tell('end', {});
  await table.getByText('The session ended.').waitFor();
  await page.getByRole('button', { name: 'Follow' }).waitFor();
});

test('messages that break off are told to have', browser, async (t) => {
  const { mock, page, said } = await viewOf(t, new World(), 'sessions/5', { expects: /Failed to load/ });
  const follow = page.getByRole('button', { name: 'Follow' });
  for (const breakOff of [(to) => to.end(), (to) => to.destroy()]) {
    await follow.click();
    await until('it is followed', () => mock.followers.size === 1);
    await page.locator('.follow').getByText('waiting for messages').waitFor();
    for (const { to } of mock.followers) breakOff(to);
    await page.locator('.follow').getByText('The messages broke off.').waitFor();
    await until('that is said', async () => (await textOf(said)) === 'The messages broke off.');
    await follow.waitFor();
  }
});

test('lines of the log are as the log writes them', browser, async (t) => {
  const world = new World();
  const name = 'a "b"\u202e=c';
  Object.assign(world.servers.get('files'), { name });
  world.servers.set(name, world.servers.get('files'));
  const { page } = await viewOf(t, world, `servers/${encodeURIComponent(name)}`);
  assert.deepEqual(await page.locator('.lines code').allTextContents(), [
    'server="a \\"b\\"\\u202e=c"',
    '"server":"a \\"b\\"\\u202e=c"',
    `journalctl -u troupe --since -1h --no-pager | grep -F -e 'a \\"b\\"\\u202e=c'`,
  ]);
});

test('a server without processes is a branch, before it has one and after', browser, async (t) => {
  const world = new World();
  const files = world.servers.get('files');
  const { processes } = files;
  Object.assign(files, { processes: [] });
  const { page } = await viewOf(t, world, 'tree');
  const branch = page.locator('.tree li:has(> details > summary .what:text-is("files"))');
  await branch.locator('summary').click();
  await branch.getByText('no process').waitFor();
  Object.assign(files, { processes });
  const leaves = branch.locator('.leaf').filter({ hasText: /process \d/ });
  await until('they are there', async () => (await leaves.count()) === 2);
  Object.assign(files, { processes: [] });
  await branch.getByText('no process').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('Previous goes back also after a step back of the browser', browser, async (t) => {
  const { page } = await viewOf(t, new World({ sessions: 350 }), 'sessions');
  const first = page.locator('tbody th').first();
  const shows = (number) => until(`${number} is the first`, async () => (await textOf(first)) === number);
  await shows('1');
  for (const number of ['101', '201', '301']) {
    await page.getByRole('button', { name: 'Next' }).click();
    await shows(number);
  }
  await page.goBack();
  await shows('201');
  await page.getByRole('button', { name: 'Previous' }).click();
  await shows('101');
});

test('who chooses a node with the keyboard stays there', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World({ node: 'a', nodes: ['b'] }), 'calls');
  mock.worlds.set('b', new World({ node: 'b', nodes: ['a'] }));
  const node = page.getByLabel('Node');
  await node.focus();
  await node.selectOption('b');
  await page.locator('tbody a[href*="node=b"]').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'node');
});

test('a filter typed a moment ago is not written to another view', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World(), 'sessions');
  await page.getByLabel('Caller').fill('alice');
  await goTo(page, 'calls');
  const asked = () => mock.asked.filter((one) => one.startsWith('GET /api/calls')).length;
  await until('it asks again, which is later than the filter', () => asked() >= 2);
  assert.match(page.url(), /#\/calls$/);
});

test('a filter is not written to a view that the page is on its way to', browser, async (t) => {
  const { mock, page } = await viewOf(t, new World(), 'sessions');
  await page.evaluate(() => {
    window.setTimeout = (action) => void (window.typed = action);
    document.querySelector('form').requestSubmit();
    location.hash = '#/calls';
    window.typed();
  });
  await until('the view is shown', () => mock.asked.some((one) => one.startsWith('GET /api/calls')));
  assert.match(page.url(), /#\/calls$/);
});

test('what comes of copying is told in the dialog', browser, async (t) => {
  const { page } = await viewOf(t, new World(), 'calls');
  await page.locator('tbody tr').first().getByRole('button', { name: 'Log' }).click();
  await page.getByRole('button', { name: 'Copy: as text' }).click();
  await page.locator('dialog').getByRole('status').getByText(/^(Copied|Selected)/).waitFor();
});
