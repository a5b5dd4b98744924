// The chart of deploy/helm, rendered by the Helm that deploy/test installs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { deployed } from './balancer.mjs';

const program = fileURLToPath(new URL('../../../build/helm/helm', import.meta.url));
export const withoutHelm = !existsSync(program) && 'Helm is missing: deploy/test fetches it';
export const chart = fileURLToPath(deployed('helm/troupe'));

export function helm(...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw error;
  // Helm warns about the chart's symbolic links to deploy/prometheus.
  return { status, stdout, stderr: stderr.replace(/^.*found symbolic link in path.*\n/gm, '') };
}

// The flags for a user's values.
const flagsOf = (values) =>
  Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);

export const refused = (values) => helm('template', 'troupe', chart, ...flagsOf(values)).stderr;

export function rendered(values = {}, name = 'troupe') {
  const { status, stdout, stderr } = helm('template', name, chart, ...flagsOf(values));
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout, { strict: true, uniqueKeys: true }).flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw problem;
    return document.toJS() ?? [];
  });
}
