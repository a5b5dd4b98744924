// A gateway that serves what a configuration file names.
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './gateway.mjs';

const directories = new Set();
const remove = (directory) => {
  directories.delete(directory);
  rmSync(directory, { recursive: true, force: true });
};
process.on('exit', () => directories.forEach(remove));

// The file, as `gateway.configFile`, is there as long as the gateway is. A text is written as it is.
export async function serveConfig(config, ...flags) {
  const directory = await mkdtemp(join(tmpdir(), 'troupe-config-'));
  directories.add(directory);
  const configFile = join(directory, 'mcp.json');
  await writeFile(configFile, typeof config === 'string' ? config : JSON.stringify(config));
  try {
    const gateway = await serve('--config', configFile, ...flags);
    gateway.configFile = configFile;
    void gateway.exited.then(() => remove(directory));
    return gateway;
  } catch (error) {
    remove(directory);
    throw error;
  }
}

// A gateway that lives as long as one test.
export async function gatewayWith(test, config, ...flags) {
  const gateway = await serveConfig(config, ...flags);
  test.after(() => gateway.stop());
  return gateway;
}
