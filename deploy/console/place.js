// Where the page is: `#/sessions/7?node=b`. Links within the page stay at the node that is shown.

let now = { path: [], params: new URLSearchParams() };
// The address that `now` was read from.
let known = '';

function read() {
  known = location.hash;
  const hash = location.hash.startsWith('#/') ? location.hash.slice(2) : '';
  const [path, query = ''] = hash.split('?', 2);
  now = { path: path.split('/').filter(Boolean).map(decoded), params: new URLSearchParams(query) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const place = () => now;
// Empty for the node that is asked.
export const node = () => now.params.get('node') ?? '';

// As the query of a URL; what is empty is left out.
export const written = (entries) => {
  const params = new URLSearchParams(
    Object.entries(entries).filter(([, value]) => value !== '' && value !== undefined),
  );
  return params.size ? `?${params}` : '';
};

// `linkTo(['sessions', 7], {server})`
export const linkTo = (path, params = {}, at = node()) =>
  `#/${path.map(encodeURIComponent).join('/')}${written({ ...params, node: at })}`;

export const sessionLink = (number) => linkTo(['sessions', number]);
export const serverLink = (name) => linkTo(['servers', name]);

export const go = (link) => void (location.hash = link);
// Without a step back to where it was. Nothing is replaced when the page is on its way elsewhere: the event that says so
// comes later than the address changes.
export function replace(link) {
  if (location.hash !== known) return;
  history.replaceState(null, '', link);
  read();
}

export function begin(changed) {
  read();
  addEventListener('hashchange', () => {
    read();
    changed();
  });
}
