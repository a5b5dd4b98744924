import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A folder of the test's own, gone when the test is over.
export function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
