// What `troupe check` says of configurations of deploy/, whose files are elsewhere in a test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROGRAM } from './gateway.mjs';
import { scratch } from './scratch.mjs';

// The files that it names are in a folder of the test, with what `contents` has by their path.
export async function checked(config, contents = {}, variables = {}) {
  const folder = scratch();
  const moved = config.replace(/"(\/(?:etc|run)\/[^"]+)"/g, (_, path) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents[path] ?? (/keys$/.test(path) ? '' : 'a secret of enough bytes'), { mode: 0o600 });
    return JSON.stringify(file);
  });
  const file = join(folder, 'mcp.json');
  writeFileSync(file, moved);
  const env = { ...process.env, ...variables, PATH: [dirname(PROGRAM), process.env.PATH].join(delimiter) };
  const child = spawn(PROGRAM, ['check', file], { env });
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return said + complained.replace(/^troupe: warning: as root, .*\n/, ''); // a test may be root
}
