import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 9 })));

// A folder for the tests of a file. It is removed after all of them, because processes may write to it until then.
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  folders.push(folder);
  return folder;
}
