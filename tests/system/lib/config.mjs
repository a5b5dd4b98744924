// A gateway with a configuration file.
import { rmSync } from 'node:fs';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM, serveBy, servingBy } from './gateway.mjs';
import { until } from './until.mjs';

const directories = new Set();
const remove = (directory) => {
  directories.delete(directory);
  rmSync(directory, { recursive: true, force: true });
};
process.on('exit', () => directories.forEach(remove));

// The file exists as long as the gateway, as `gateway.configFile`. Text is written unchanged.
export const serveConfig = (config, ...flags) => serveConfigBy(PROGRAM, config, ...flags);

// Like `serveConfig`, with another program.
export async function serveConfigBy(program, config, ...flags) {
  const directory = await mkdtemp(join(tmpdir(), 'troupe-config-'));
  directories.add(directory);
  const configFile = join(directory, 'mcp.json');
  await writeFile(configFile, typeof config === 'string' ? config : JSON.stringify(config));
  try {
    const gateway = await serveBy(servingBy(program, '--config', configFile, ...flags));
    gateway.configFile = configFile;
    void gateway.exited.then(() => remove(directory));
    return gateway;
  } catch (error) {
    remove(directory);
    throw error;
  }
}

// A gateway for one test.
export async function gatewayWith(test, config, ...flags) {
  const gateway = await serveConfig(config, ...flags);
  test.after(() => gateway.stop());
  return gateway;
}

export async function replaceFile(gateway, content) {
  const next = `${gateway.configFile}.next`;
  await writeFile(next, typeof content === 'string' ? content : JSON.stringify(content));
  await rename(next, gateway.configFile);
}

// Reloads the file, and resolves with the log line of the reload.
export async function reload(gateway, content) {
  const lines = () => gateway.log.filter((line) => line.includes('configuration changed'));
  const before = lines().length;
  await replaceFile(gateway, content);
  gateway.child.kill('SIGHUP');
  const [, line] = await until('the file is read again', () => lines().length > before && [true, lines().at(-1)]);
  return JSON.parse(line);
}
