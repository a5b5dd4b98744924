// Runs `troupe check` on configurations of deploy/, with the paths of their files replaced.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PROGRAM } from './gateway.mjs';
import { scratch } from './scratch.mjs';

// The files that the configuration names are in a folder of the test. `contents` maps their paths to their texts.
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
  return said + complained.replace(/^troupe: warning: as root, .*\n/, ''); // a test may run as root
}
