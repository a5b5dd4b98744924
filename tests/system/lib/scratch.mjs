import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 9 })));

// A folder of the test's own. It goes when the tests of the file are over: before that somebody may write to it yet.
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  folders.push(folder);
  return folder;
}
