// Programs that see other hosts than this machine's, and files where it has none: /etc and more of a test's own, in a
// mount namespace.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratch } from './scratch.mjs';

const UNSHARE = ['unshare', '--mount', ...(process.getuid() === 0 ? [] : ['--map-root-user'])];
// Each folder of the first argument lies over the one of the same name.
const ENTER = 'for over in "$0"/*; do mount --bind "$over" "/${over##*/}" || exit 1; done; exec "$@"';
// What programs of this machine may need.
const KEPT = ['passwd', 'group', 'ld.so.cache'];
const HOSTS_SIZE = 4_096;

class Surroundings {
  constructor(folder) {
    this.folder = folder;
    for (const name of KEPT) if (existsSync(`/etc/${name}`)) copyFileSync(`/etc/${name}`, this.place(`/etc/${name}`));
    this.put('/etc/nsswitch.conf', 'hosts: files\n');
    this.put('/etc/host.conf', 'multi on\n');
    this.names({});
  }

  // Where a file really is, in a folder that is made.
  place(path) {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }

  put(path, content) {
    writeFileSync(this.place(path), content, { mode: 0o640 });
  }

  // All names there are, each with its addresses. Who reads meanwhile sees all of the old or all of the new.
  names(all) {
    const known = Object.entries({ localhost: ['127.0.0.1'], ...all });
    const lines = known.flatMap(([name, addresses]) => addresses.map((address) => `${address} ${name}\n`));
    const file = this.place('/etc/hosts');
    writeFileSync(file, lines.join('').padEnd(HOSTS_SIZE, '\n'), { flag: existsSync(file) ? 'r+' : 'w' });
  }

  // What to write before a command that is to run there. It becomes the command: their process ids are one.
  get before() {
    return [...UNSHARE, 'sh', '-c', ENTER, this.folder];
  }
}

// Nothing, and the test is skipped, where this machine does not allow that.
export function surroundings(t) {
  const made = new Surroundings(scratch());
  const [program, ...args] = [...made.before, 'true'];
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return made;
  t.skip(`no mount namespace can be made here: ${error?.message ?? stderr.trim()}`);
  return undefined;
}
