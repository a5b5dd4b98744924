// The pages without a test of their own: their commands must do what they say.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from './lib/client.mjs';
import { gatewayWith } from './lib/config.mjs';
import { followPage } from './lib/followed.mjs';
import { helm, chart, withoutHelm } from './lib/helm.mjs';
import { request, whole } from './lib/http.mjs';
import { blocksOf, codeIn, FOLLOWED, PAGES, README } from './lib/page.mjs';
import { assertDone, Reader } from './lib/page-reader.mjs';
import { until } from './lib/until.mjs';

const SPECIAL = {
  // A machine with a client that has a server.
  'README.md': {
    prepare(reader) {
      mkdirSync(join(reader.home, '.cursor'));
      const mcpServers = { echo: { command: 'troupe', args: ['example-server'] } };
      writeFileSync(join(reader.home, '.cursor/mcp.json'), JSON.stringify({ mcpServers }));
    },
    more: {
      async 'a client of what was imported has its tools'(reader, t) {
        const { client } = await connect(t, reader.gateway.url);
        const { content } = await client.callTool({ name: 'echo', arguments: { message: 'm' } });
        assert.equal(content[0].text, 'm');
        const { client: other } = await connect(t, reader.gateway.at('/servers/echo/mcp'));
        assert.ok((await other.listTools()).tools.length > 0);
      },
    },
  },
  'deploying.md': {
    more: {
      'Helm takes the values'(reader, t) {
        if (withoutHelm) return t.skip(withoutHelm);
        const values = ['--values', join(reader.home, 'my-values.yaml')];
        const { status, stdout, stderr } = helm('template', 'troupe', chart, ...values);
        assert.equal(status, 0, stderr);
        assert.match(stdout, /image: .*registry\.example\/troupe:.*-runtimes/);
      },
    },
  },
};

for (const page of PAGES.filter((one) => !FOLLOWED[one])) followPage(page, SPECIAL[page]);

// -- commands in the text

// Commands that are complete and end by themselves.
const ENDS = /^(source <\(troupe|troupe (help|completion|init|import|key|check \w+\.json))/;
const HAS_PLACE = /[A-Z]{2}|\[|\.\.\.| --as$| key new$/;

test('commands that stand in the text do what they say', async (t) => {
  const reader = await Reader.begin(t);
  await SPECIAL[README].prepare(reader);
  let count = 0;
  for (const page of PAGES)
    for (const command of codeIn(page).filter((code) => ENDS.test(code) && !HAS_PLACE.test(code))) {
      await reader.run(`cd "$(mktemp -d -p "$HOME")"${command.includes('check') ? '; troupe init' : ''}`);
      // fish reads a script in this form.
      assertDone(await reader.run(command.endsWith('| source') ? `fish --command '${command}'` : command));
      ++count;
    }
  assert.ok(count >= 10, `${count} commands`);
});

test('/readyz says what the page shows', async (t) => {
  const shown = JSON.parse(blocksOf('servers.md', 'json').find(({ content }) => content.includes('"reasons"')).content);
  const [{ name }] = shown.reasons;
  const dead = { command: 'sh', args: ['-c', 'exit 1'], essential: true };
  const gateway = await gatewayWith(t, { mcpServers: { [name]: dead } });
  const answer = await until('it does not start', async () => {
    const { status, body } = await whole(request(gateway.at('/readyz')));
    return status === 503 && body.includes('it does not start') && JSON.parse(body);
  });
  assert.deepEqual(answer.reasons, shown.reasons);
  const [begin] = shown.error.message.split('...');
  assert.ok(answer.error.message.startsWith(begin), answer.error.message);
  assert.deepEqual({ ...answer, error: { ...answer.error, message: shown.error.message } }, shown);
});
