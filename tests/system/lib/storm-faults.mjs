// Faults of a storm. Each is a function that resolves once the fault is over and everything should work again.
import { setTimeout as pause } from 'node:timers/promises';
import { others } from './faults.mjs';
import { until } from './until.mjs';

const START_LIMIT = 120_000;

// -- of a cluster -----------------------------------------------------------------------------------------------------

async function restart({ cluster }, node) {
  await node.gateway.signal('SIGTERM');
  await node.start();
  await cluster.whole(START_LIMIT);
}

// Each of these gets the stage of `startRecovering`, a victim, and a pause of a random length.
export const CLUSTER_FAULTS = {
  quiet: async (_, __, wait) => wait(),
  restart,
  'rolling restart': async (stage) => {
    for (const node of stage.nodes) await restart(stage, node);
  },
  kill: async (_, node, wait) => {
    await node.kill();
    await wait();
    await node.start();
  },
  'pause of a node': async (_, node, wait) => {
    node.freeze();
    await wait();
    node.thaw();
  },
  'cut of a node': ({ cluster }, node, wait) => parted(cluster, 'cut', node, wait),
  'silence of a node': ({ cluster }, node, wait) => parted(cluster, 'silence', node, wait),
  'cut of one link': async ({ cluster }, node, wait) => {
    const [other] = others(cluster, node);
    await cluster.links.cut(node, other);
    await wait();
    await cluster.links.mend(node, other);
  },
  'pause of Redis': async ({ store }, _, wait) => {
    store.freeze();
    await wait();
    store.thaw();
  },
  'cut from Redis': async (_, node, wait) => {
    node.storeLink.cut();
    await wait();
    node.storeLink.mend();
  },
  'kill while Redis pauses': async ({ store }, node, wait) => {
    store.freeze();
    await node.kill();
    await wait();
    store.thaw();
    await node.start();
  },
};

async function parted(cluster, how, node, wait) {
  for (const other of others(cluster, node)) await cluster.links[how](node, other);
  await wait();
  for (const other of others(cluster, node)) await cluster.links.mend(node, other);
}

// -- of a gateway that hands over -------------------------------------------------------------------------------------

async function kill(gateway, pid) {
  if (!gateway.hasEnded(pid)) process.kill(pid, 'SIGKILL');
  await until('it has ended', () => gateway.hasEnded(pid));
}

const served = (gateway) => until('a process serves', () => gateway.isServing(), START_LIMIT);

// Each of these gets the gateway of storm.mjs, which knows its newest process.
export const HANDOVER_FAULTS = {
  handover: async (gateway, wait) => {
    if (!(await gateway.handOver())) return;
    await wait();
    await gateway.renewSessions();
  },
  'kill of the new process': async (gateway, wait) => {
    if (!(await gateway.handOver())) return;
    await wait();
    await kill(gateway, gateway.pid);
    await served(gateway);
    await gateway.renewSessions();
  },
  'kill of the old process': async (gateway, wait) => {
    const before = gateway.pid;
    if (!(await gateway.handOver())) return;
    await wait();
    await kill(gateway, before);
    await served(gateway);
  },
  'kill of the old process as it hands over': async (gateway) => {
    const before = gateway.pid;
    gateway.order();
    await pause(gateway.random.below(150));
    await kill(gateway, before);
    await served(gateway);
  },
};
