// Runs programs in a mount namespace, with their own /etc and other host names.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scratch } from './scratch.mjs';

const UNSHARE = ['unshare', '--mount', ...(process.getuid() === 0 ? [] : ['--map-root-user'])];
// Mounts each folder of the first argument over the one of the same name.
const ENTER = 'for over in "$0"/*; do mount --bind "$over" "/${over##*/}" || exit 1; done; exec "$@"';
// Files of /etc that programs may need.
const KEPT = ['passwd', 'group', 'ld.so.cache'];
const HOSTS_SIZE = 4_096;

class MountNamespace {
  constructor(folder) {
    this.folder = folder;
    for (const name of KEPT) if (existsSync(`/etc/${name}`)) copyFileSync(`/etc/${name}`, this.place(`/etc/${name}`));
    this.put('/etc/nsswitch.conf', 'hosts: files\n');
    this.put('/etc/host.conf', 'multi on\n');
    this.names({});
  }

  // The real path of a file, whose folder is created.
  place(path) {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }

  put(path, content) {
    writeFileSync(this.place(path), content, { mode: 0o640 });
  }

  // Sets all host names with their addresses. The file is replaced atomically.
  names(all) {
    const known = Object.entries({ localhost: ['127.0.0.1'], ...all });
    const lines = known.flatMap(([name, addresses]) => addresses.map((address) => `${address} ${name}\n`));
    const file = this.place('/etc/hosts');
    writeFileSync(file, lines.join('').padEnd(HOSTS_SIZE, '\n'), { flag: existsSync(file) ? 'r+' : 'w' });
  }

  // A command prefix that enters the namespace. It execs the command, so their process ids are the same.
  get before() {
    return [...UNSHARE, 'sh', '-c', ENTER, this.folder];
  }
}

// Skips the test and returns undefined where the machine does not allow mount namespaces.
export function mountNamespace(t) {
  const made = new MountNamespace(scratch());
  const [program, ...args] = [...made.before, 'true'];
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return made;
  t.skip(`no mount namespace can be made here: ${error?.message ?? stderr.trim()}`);
  return undefined;
}
