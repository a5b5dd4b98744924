// Certificates for the nodes of a cluster, by the openssl program.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });

export class Authority {
  constructor(folder, name) {
    this.folder = folder;
    this.name = name;
    this.certificate = join(folder, `${name}.pem`);
    this.key = join(folder, `${name}.key`);
    openssl('req', '-x509', ...KEY, '-keyout', this.key, '-out', this.certificate, '-days', '2', '-subj', `/CN=${name}`);
  }

  issue(name) {
    const file = join(this.folder, `${this.name}-${name}`);
    const signed = ['-CA', this.certificate, '-CAkey', this.key];
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-addext', 'basicConstraints=critical,CA:FALSE'];
    openssl('req', '-x509', ...signed, ...KEY, '-keyout', `${file}.key`, '-out', `${file}.pem`, ...subject);
    return { certificate: `${file}.pem`, key: `${file}.key` };
  }

  flags({ certificate, key }) {
    return ['--cluster-cert', certificate, '--cluster-cert-key', key, '--cluster-ca', this.certificate];
  }

  // The flags of a node that trusts a second authority.
  flagsAlsoOf(other, { certificate, key }) {
    const both = join(this.folder, `${this.name}-and-${other.name}.pem`);
    writeFileSync(both, readFileSync(this.certificate) + readFileSync(other.certificate));
    return ['--cluster-cert', certificate, '--cluster-cert-key', key, '--cluster-ca', both];
  }
}
