import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { after, test } from 'node:test';
import {
  type Registry,
  runCrane,
  startRegistry,
  withoutRegistry,
} from '#test/support/kubernetes/registry.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { type Descriptor, Layout, types } from '../../../release/layout.ts';
import { Repository } from '../../../release/push.ts';

const skip = withoutRegistry;
const folder = await temporaryDir();

/** Builds an artifact's layout with one layer, under a tag or for a subject. */
async function layoutOf(text: string, tag?: string, subject?: string) {
  const layout = new Layout(await mkdtemp(`${folder}/`));
  const layer = await layout.add('text/plain', text);
  const named = { mediaType: types.manifest, digest: subject ?? '', size: 2 };
  const more = subject === undefined ? {} : { artifactType: 'text/plain', subject: named };
  const entry = await layout.addManifest(await layout.add(types.empty, '{}'), [layer], more);
  layout.entries.push({ entry, tag });
  return { layout, digest: entry.digest };
}

const logIn = ({ login }: Pick<Registry, 'login'>) => {
  process.env.DOCKER_CONFIG = login;
};

test('a version is pushed again as it is, and never as another one', { skip }, async () => {
  const registry = await startRegistry();
  logIn(registry);
  const name = `${registry.host}/acme/thing`;
  const one = await layoutOf('one', '1.0.0');
  await new Repository(name).push(one.layout);
  await new Repository(name).push(one.layout);
  const other = await layoutOf('other', '1.0.0');
  await assert.rejects(new Repository(name).push(other.layout), {
    message: `${name}:1.0.0 already exists as ${one.digest}, not ${other.digest}`,
  });
  assert.equal(`${await runCrane(registry, 'digest', `${name}:1.0.0`)}`.trim(), one.digest);
  await new Repository(name).push((await layoutOf('one', 'sha256-a.sig')).layout);
  await new Repository(name).push((await layoutOf('other', 'sha256-a.sig')).layout);
});

test('artifacts of a subject are listed under its tag where the registry has no referrers', {
  skip,
}, async () => {
  const registry = await startRegistry();
  logIn(registry);
  const name = `${registry.host}/acme/thing`;
  const { layout, digest } = await layoutOf('one', '1.0.0');
  await new Repository(name).push(layout);
  const bills = await Promise.all(['a', 'b'].map((text) => layoutOf(text, undefined, digest)));
  for (const bill of [...bills, ...bills]) await new Repository(name).push(bill.layout);
  const index = JSON.parse(`${await runCrane(registry, 'manifest', `${name}:${digest.replace(':', '-')}`)}`);
  assert.deepEqual(
    index.manifests.map(({ digest, artifactType }: Descriptor) => [digest, artifactType]).sort(),
    bills.map((bill) => [bill.digest, 'text/plain']).sort(),
  );
});

test('a registry that wants a token gets one for the user of docker login', { skip }, async () => {
  const asked: [string | undefined, string | undefined][] = [];
  const tokens = createServer((request, response) => {
    asked.push([request.url, request.headers.authorization]);
    response.end(JSON.stringify({ token: 'ticket' }));
  }).listen(0, '127.0.0.1');
  after(() => tokens.close());
  await once(tokens, 'listening');
  const address = tokens.address();
  assert.ok(address !== null && typeof address === 'object');
  const registry = await startRegistry(`http://127.0.0.1:${address.port}/token`);
  logIn(registry);
  const { layout } = await layoutOf('one', '1.0.0');
  await new Repository(`${registry.host}/acme/thing`).push(layout);
  assert.deepEqual(asked, [
    [
      '/token?service=registry&scope=repository%3Aacme%2Fthing%3Apull%2Cpush',
      `Basic ${Buffer.from('ada:secret').toString('base64')}`,
    ],
  ]);
});

test('a user whom the registry does not know is told how to sign in', { skip }, async () => {
  const registry = await startRegistry();
  logIn({ login: folder });
  const { layout } = await layoutOf('one', '1.0.0');
  await assert.rejects(
    new Repository(`${registry.host}/acme/thing`).push(layout),
    new RegExp(`401 .*docker login ${registry.host}$`, 's'),
  );
});

test('another host that takes the content gets no credentials', async () => {
  const seen: [string, string | undefined][] = [];
  const other = createServer((request, response) => {
    seen.push(['other', request.headers.authorization]);
    request.resume().on('end', () => response.writeHead(201).end());
  }).listen(0, '127.0.0.1');
  const registry = createServer((request, response) => {
    const { method, headers } = request;
    request.resume();
    if (headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="all"' }).end();
    else if (method === 'HEAD') response.writeHead(404).end();
    else if (method === 'POST') response.writeHead(202, { location: `http://${hostOf(other)}/blob` }).end();
    else response.writeHead(201).end();
  }).listen(0, '127.0.0.1');
  after(() => [other, registry].map((server) => server.close()));
  await Promise.all([once(other, 'listening'), once(registry, 'listening')]);
  const login = await temporaryDir();
  const auths = { [hostOf(registry)]: { auth: Buffer.from('ada:secret').toString('base64') } };
  await writeFile(`${login}/config.json`, JSON.stringify({ auths }));
  logIn({ login });
  const { layout } = await layoutOf('one', '1.0.0');
  await new Repository(`${hostOf(registry)}/acme/thing`).push(layout);
  assert.deepEqual(seen, [
    ['other', undefined],
    ['other', undefined],
  ]);
});

/** Host and port of a server on loopback. */
function hostOf(server: Server): string {
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `127.0.0.1:${address.port}`;
}

test('a name without a registry is refused', () => {
  assert.throws(() => new Repository('acme/sandpost'), /acme\/sandpost does not name a registry/);
});
