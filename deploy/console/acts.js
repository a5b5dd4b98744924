// What operators can do: each asks first, and tells what came of it.

import { ask, NeedsToken, tell } from './api.js';
import { confirmed, say } from './dialog.js';
import { age, callText, kindOf, named, several } from './format.js';
import { node } from './place.js';

let afterwards = () => {};
// Called after everything that changed something.
export const whenDone = (then) => (afterwards = then);

let isSame = () => true;
// Takes what a node says of itself, and tells whether that is the process whose numbers are shown.
export const whenSame = (tells) => (isSame = tells);

async function carryOut(work, done, failed) {
  try {
    await work();
    say(done);
    return true;
  } catch (error) {
    say(`${failed}: ${error instanceof NeedsToken ? 'the gateway asks for the token' : error.message}`);
    return false;
  } finally {
    afterwards();
  }
}

// `work` takes the node that is shown when it is asked: that one does it, whichever is shown when it is answered.
async function asked(question, work, done, failed) {
  const at = node();
  return (await confirmed(question)) && carryOut(() => work(at), done, failed);
}

// Ends what has a number. Another process of a gateway gives the same numbers to others.
async function end(path, at) {
  if (!isSame(await ask(['node'], { node: at }))) throw new Error('the gateway was started anew, with other numbers');
  await tell('DELETE', path, { at });
}

const whose = ({ caller }) => (caller ? `of ${named(caller)}` : 'of nobody in particular');

export function endSession(session) {
  const what = `${kindOf(session)} ${session.number}`;
  const title = `End ${what}?`;
  const calls = session.calls?.length ?? 0;
  const fate = calls ? `Its ${several(calls, 'call')} in flight will fail. ` : '';
  const lines = [
    `The ${what} (${named(session.id)}) ${whose(session)} ends at once, with its streams and its own processes.`,
    `${fate}Its client is told that it is gone, and has to begin again.`,
  ];
  return asked(
    { title, lines, yes: `End ${what}` },
    (at) => end(['sessions', session.number], at),
    `Ended: ${what}.`,
    `The ${what} was not ended`,
  );
}

export function endCall(call) {
  const what = named(callText(call));
  const title = 'End this call?';
  const at = call.server ? ` The server ${named(call.server)} is told that it is cancelled.` : '';
  const lines = [
    `${what} of session ${call.session} has run for ${age(call.age_ms)}.`,
    `Its client gets an error.${at} The session stays.`,
  ];
  return asked(
    { title, lines, yes: 'End the call' },
    (at) => end(['sessions', call.session, 'calls', call.number], at),
    `Ended: ${what} of session ${call.session}.`,
    `${what} of session ${call.session} was not ended`,
  );
}

const SERVER_ACTS = {
  restart: {
    yes: 'Restart it',
    fate: (server) => [
      `What runs of it ends (${several(server.processes?.length ?? 0, 'process', 'processes')}), and its calls fail.`,
      'Sessions that have it alone end, and their clients begin anew. All others go on.',
    ],
    done: 'is being restarted',
  },
  disable: {
    yes: 'Disable it',
    fate: (server) => [
      `What runs of it is stopped, and its ${several(server.users ?? 0, 'user')} do without it.`,
      'It stays disabled until it is enabled, or the gateway is restarted.',
    ],
    done: 'is disabled',
  },
};

export function restartServer(server) {
  return serverAct(server, 'restart');
}
export function disableServer(server) {
  return serverAct(server, 'disable');
}
export function enableServer({ name }) {
  return carryOut(
    () => tell('POST', ['servers', name, 'enable']),
    `The server ${named(name)} is enabled.`,
    `The server ${named(name)} was not enabled`,
  );
}

function serverAct(server, act) {
  const { yes, fate, done } = SERVER_ACTS[act];
  const name = named(server.name);
  const verb = act[0].toUpperCase() + act.slice(1);
  return asked(
    { title: `${verb} the server ${name}?`, lines: fate(server), yes },
    (at) => tell('POST', ['servers', server.name, act], { at }),
    `The server ${name} ${done}.`,
    `The server ${name} cannot ${act}`,
  );
}

export function reload() {
  const lines = ['The configuration is read again. Servers that it changes are restarted; a bad file changes nothing.'];
  return asked(
    { title: 'Reload the configuration?', lines, yes: 'Reload' },
    (at) => tell('POST', ['reload'], { at }),
    'The configuration was reloaded.',
    'The configuration was not reloaded',
  );
}

export function drain({ node, sessions, leases }) {
  const name = node ? `node ${named(node)}` : 'this gateway';
  const lines = [
    `No new session comes to ${name}, and it ends when its calls are over, or their grace is.`,
    `It has ${several(sessions, 'session')} and ${several(leases, 'lease')} now. This cannot be taken back.`,
  ];
  return asked(
    { title: `Drain ${name}?`, lines, yes: 'Drain' },
    (at) => tell('POST', ['drain'], { at }),
    'It drains.',
    'It does not drain',
  );
}

export function setLogLevel(level) {
  return carryOut(
    () => tell('PUT', ['log-level'], { body: { level } }),
    `The log has lines from ${level} up.`,
    'The log level was not changed',
  );
}
