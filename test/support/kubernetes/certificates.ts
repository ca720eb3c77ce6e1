import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryDir } from '#test/support/program/program.ts';

const run = promisify(execFile);

/** Files of a private authority, and of a server certificate that it signed for `localhost` and 127.0.0.1. */
export type Certificates = {
  ca: string;
  cert: string;
  key: string;
  /** Certificate and key in one file, as mongod requires. */
  pem: string;
};

/** Creates an authority and a certificate with openssl, in a folder that is removed when the test process ends. */
export async function makeCertificates(
  names = 'DNS:localhost,IP:127.0.0.1',
  days = '2',
): Promise<Certificates> {
  const folder = await temporaryDir();
  const at = (name: string) => path.join(folder, name);
  const [ca, cert, key, pem] = [at('ca.crt'), at('server.crt'), at('server.key'), at('server.pem')];
  const openssl = (...args: string[]) => run('openssl', args);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = ['-subj', '/CN=Private authority', '-addext', 'basicConstraints=critical,CA:TRUE'];
  await openssl('req', '-x509', ...newKey, '-keyout', at('ca.key'), '-out', ca, '-days', '2', ...authority);
  await openssl('req', ...newKey, '-keyout', key, '-out', at('server.csr'), '-subj', '/CN=server');
  await writeFile(at('extensions'), `subjectAltName=${names}\n`);
  const signer = ['-CA', ca, '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('extensions')];
  await openssl('x509', '-req', '-in', at('server.csr'), ...signer, '-days', days, '-out', cert);
  await writeFile(pem, `${await readFile(cert, 'utf8')}${await readFile(key, 'utf8')}`);
  return { ca, cert, key, pem };
}
