// What lives, as a tree: nodes, their servers and processes, their sessions, streams and calls. What is not open is not
// asked for.

import { ask, NeedsToken } from './api.js';
import { h, keep, mark, setText } from './dom.js';
import { age, callText, count, kindOf, named, ofWhichServer, several, streamsText } from './format.js';
import { linkTo } from './place.js';
import { stateText } from './servers.js';
import { doingText } from './sessions.js';

const MOST = 50;

// A branch is `{key, text, more, href, children}`: `children` are branches, or say how to ask for them. Whether
// it has any stays as it was at first.
function makeBranch({ children }) {
  const [text, more, list] = [h('span', { class: 'what' }), h('span', { class: 'more' }), h('ul')];
  const link = h('a', { class: 'to' }, 'Show');
  if (!children) return Object.assign(h('li', { class: 'leaf' }, link, text, ' ', more), { text, more, link });
  const details = h('details', {}, h('summary', {}, text, ' ', more), list);
  return Object.assign(h('li', {}, link, details), { text, more, link, list, details });
}

function place(element, { text, href, more }) {
  setText(element.text, text);
  setText(element.more, more ?? '');
  mark(element.link, 'href', href);
  mark(element.link, 'hidden', !href);
  mark(element.link, 'aria-label', `Show ${text}`);
}

class Tree {
  constructor(wake) {
    this.wake = wake;
    this.element = h('ul', { class: 'tree' });
  }

  #make(branch) {
    const element = makeBranch(branch);
    if (element.details) {
      element.details.open = branch.open ?? false;
      element.details.addEventListener('toggle', this.wake);
    }
    return element;
  }

  async show(list, branches, signal) {
    keep(
      list,
      branches,
      ({ key }) => key,
      (branch) => this.#make(branch),
      place,
    );
    const open = branches.map((branch, at) => [branch, list.children[at]]).filter(([, { details }]) => details?.open);
    await Promise.all(
      open.map(async ([{ children }, element]) => {
        const below = typeof children === 'function' ? await children(signal) : children;
        return this.show(element.list, below, signal);
      }),
    );
  }
}

// -- branches ----------------------------------------------------------------------------------

const more = (shown, all, href) => (all > shown ? [{ key: 'more', text: `all ${count(all)} of them`, href }] : []);

function processBranch({ pid, age_ms, session }) {
  return { key: pid, text: `process ${pid}`, more: `${age(age_ms)}, ${session ? `of session ${session}` : 'shared'}` };
}

function serverBranch(server, at) {
  const { name, processes = [] } = server;
  const link = linkTo(['servers', name], {}, at);
  const none = processes.length ? [] : [{ key: 'none', text: 'no process' }];
  const children = [...processes.slice(0, MOST).map(processBranch), ...more(MOST, processes.length, link), ...none];
  return { key: name, text: name, href: link, more: stateText(server), children };
}

const callBranch = (link) => (call) => ({
  key: call.number,
  text: callText(call),
  href: link,
  more: `${age(call.age_ms)}${call.server ? `, at ${named(call.server)}` : ''}`,
});

function sessionBranch(session, at) {
  const { number, calls = [], streams } = session;
  const link = linkTo(['sessions', number], {}, at);
  const children = [
    { key: 'streams', text: 'streams', href: link, more: streamsText(streams) },
    ...calls.map(callBranch(link)),
  ];
  return {
    key: number,
    text: `${kindOf(session)} ${number}`,
    href: link,
    children,
    more: [ofWhichServer(session), session.caller, doingText(session)]
      .filter(Boolean)
      .map((part) => named(part))
      .join(', '),
  };
}

const serversOf = (at) => async (signal) => {
  const { servers } = await ask(['servers'], { node: at }, signal);
  return servers.map((server) => serverBranch(server, at));
};

const sessionsOf = (at) => async (signal) => {
  const { sessions, total } = await ask(['sessions'], { node: at, limit: MOST }, signal);
  return [...sessions.map((session) => sessionBranch(session, at)), ...more(MOST, total, linkTo(['sessions'], {}, at))];
};

// A node that does not answer has no branches.
const nodeBranch = ({ name, shown, draining, isFirst }) => {
  const at = shown;
  const guarded = (children) => (signal) =>
    children(signal).catch((error) => {
      if (signal.aborted || error instanceof NeedsToken || isFirst) throw error;
      return [{ key: 'lost', text: 'does not answer' }];
    });
  return {
    key: name,
    text: name || 'this gateway',
    href: linkTo([], {}, at),
    open: isFirst,
    more: draining ? 'draining' : '',
    children: [
      {
        key: 'servers',
        text: 'servers',
        href: linkTo(['servers'], {}, at),
        open: isFirst,
        children: guarded(serversOf(at)),
      },
      {
        key: 'sessions',
        text: 'sessions',
        href: linkTo(['sessions'], {}, at),
        open: isFirst,
        children: guarded(sessionsOf(at)),
      },
    ],
  };
};

export function treeView({ state, at }) {
  const tree = new Tree(() => view.wake());
  const total = h('p', { class: 'total' });
  const element = h('section', {}, h('h1', { tabindex: '-1' }, 'What lives'), total, tree.element);
  const view = {
    title: 'Tree',
    element,
    async refresh(signal) {
      const told = await state(signal);
      const others = told.nodes.map((one) => ({ ...one, shown: one.name }));
      setText(
        total,
        `${several(told.nodes.length + 1, 'node')}, ${several(told.sessions, 'session')} at the one that is shown`,
      );
      await tree.show(
        tree.element,
        [{ ...told, name: told.node, shown: at(), isFirst: true }, ...others].map(nodeBranch),
        signal,
      );
    },
  };
  return view;
}
