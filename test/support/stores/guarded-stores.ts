import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import type { Certificates } from '#test/support/kubernetes/certificates.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import type { BoundServer } from './bound-server.ts';
import { bindMongod, initiate, writable } from './mongod.ts';
import { startRedis } from './redis-server.ts';

/** Starts a replica set `tls` that accepts only TLS connections, with this certificate. */
export async function startTlsMongod({
  ca,
  pem,
}: Certificates): Promise<{ uri: string; server: BoundServer }> {
  const tls = ['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', pem, '--tlsCAFile', ca];
  const server = await bindMongod('tls', 0.25, [...tls, '--tlsAllowConnectionsWithoutCertificates']);
  await server.start();
  const at = `mongodb://127.0.0.1:${server.port}/`;
  await initiate('tls', [server.port], `&tls=true&tlsCAFile=${ca}`);
  await writable(`${at}?replicaSet=tls&tls=true&tlsCAFile=${ca}`);
  return { uri: `${at}sandpost?replicaSet=tls&tls=true`, server };
}

/**
 * Starts a replica set `guarded` that requires a password. The users `app` (readWrite on the database `sandpost`) and `reader`
 * (read) have this password. `uri` names no user.
 */
export async function startGuardedMongod(password: string): Promise<{ uri: string; server: BoundServer }> {
  const keyFile = path.join(await temporaryDir(), 'key');
  await writeFile(keyFile, 'membersShareThis', { mode: 0o600 });
  const server = await bindMongod('guarded', 0.25, ['--keyFile', keyFile]);
  await server.start();
  await initiate('guarded', [server.port]);
  const uri = `mongodb://127.0.0.1:${server.port}/sandpost?replicaSet=guarded&authSource=admin`;
  // mongod lets a local client create the first user without a password (localhost exception).
  const root = { createUser: 'root', pwd: password, roles: ['root'] };
  await asAdmin(uri, root);
  const user = (createUser: string, role: string) =>
    asAdmin(uri.replace('//', `//root:${password}@`), {
      createUser,
      pwd: password,
      roles: [{ role, db: 'sandpost' }],
    });
  await user('app', 'readWrite');
  await user('reader', 'read');
  return { uri, server };
}

async function asAdmin(uri: string, command: Record<string, unknown>): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}

/** Starts a Redis that accepts only TLS connections. */
export async function startTlsRedis({ ca, cert, key }: Certificates): Promise<BoundServer> {
  const { server } = await startRedis((port) => [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca],
  ]);
  return server;
}

/** Starts a Redis that requires this password from the default user and the ACL user `sandpost`. */
export async function startGuardedRedis(password: string): Promise<BoundServer> {
  const { server } = await startRedis(() => ['--requirepass', password]);
  const acl = ['acl', 'setuser', 'sandpost', 'on', `>${password}`, '~*', '&*', '+@all'];
  await promisify(execFile)('redis-cli', ['-p', String(server.port), '-a', password, ...acl]);
  return server;
}
