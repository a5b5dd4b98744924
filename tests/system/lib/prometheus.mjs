// Debian's Prometheus with the files of deploy/prometheus/.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse, stringify } from 'yaml';
import { deployed, readDeployed } from './balancer.mjs';
import { request } from './http.mjs';
import { freePort } from './ports.mjs';
import { scratch } from './scratch.mjs';
import { until } from './until.mjs';

const EVERY = '500ms';

// The file of deploy/ with other targets and a shorter interval.
function configFile(targets) {
  const config = parse(readDeployed('prometheus/prometheus.yml'));
  const [job] = config.scrape_configs;
  job.static_configs = [{ targets }];
  Object.assign(config.global, { scrape_interval: EVERY, scrape_timeout: EVERY, evaluation_interval: EVERY });
  return { text: stringify(config), token: job.authorization.credentials_file };
}

const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

class Prometheus {
  constructor(port, targets) {
    this.url = `http://127.0.0.1:${port}`;
    this.targets = targets;
  }

  async ask(path, params = {}) {
    const reply = await request(`${this.url}/api/v1/${path}?${new URLSearchParams(params)}`);
    await reply.done;
    const { status, data, error } = JSON.parse(reply.received);
    assert.equal(status, 'success', error);
    return data;
  }

  // The current values of an expression, each with its labels.
  async query(query) {
    const { result } = await this.ask('query', { query });
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  // The only value; undefined when there is none.
  async value(query) {
    const values = await this.query(query);
    assert.ok(values.length < 2, `${query}: ${JSON.stringify(values)}`);
    return values[0]?.value;
  }

  // Resolves when every node was scraped after the call. A scrape may begin a few milliseconds before its recorded
  // time.
  async caughtUp() {
    const now = Date.now() / 1_000 + 0.01;
    const isScraped = `count(timestamp(up) > ${now} and on (instance) up == 1)`;
    await until('all nodes are scraped', async () => (await this.value(isScraped)) === this.targets);
  }
}

// Scrapes these targets as one job, with that token. Lives as long as the test or suite.
export async function startPrometheus(t, targets, token) {
  const folder = scratch();
  const config = configFile(targets);
  copyFileSync(deployed('prometheus/alerts.yml'), join(folder, 'alerts.yml'));
  writeFileSync(join(folder, config.token), token);
  writeFileSync(join(folder, 'prometheus.yml'), config.text);
  const port = await freePort();
  const files = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  const flags = [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
  const child = spawn('prometheus', [...files, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (said += chunk));
  const exited = once(child, 'exit').then(() => running.delete(child));
  t.after(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  await until('Prometheus is ready', async () => {
    assert.equal(child.exitCode, null, said);
    const reply = await request(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined);
    return reply?.status === 200;
  });
  return new Prometheus(port, targets.length);
}

// The output of `promtool check metrics`; empty if all is well.
export async function complaintsOf(metrics) {
  const child = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(metrics);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return code === 0 ? out + err : `${code}: ${out}${err}`;
}
