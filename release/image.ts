import { hash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type About, run, source } from './about.ts';
import { architectures, cache, debianPackages, nodePackage } from './base.ts';
import { type Layout, types } from './layout.ts';
import { type Component, debianComponent, inPage, npmComponents } from './sbom.ts';

const deflate = promisify(gzip);
const user = 10_001;

/** Writes each architecture's image and their index. The content depends only on the sources and packages. */
export async function writeImage(layout: Layout, about: About) {
  const labels = {
    'org.opencontainers.image.title': 'Sandpost',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.source': source,
    'org.opencontainers.image.version': about.version,
    'org.opencontainers.image.revision': about.revision,
    'org.opencontainers.image.created': about.created,
  };
  const settings = { ...settingsOf(await fs.readFile('Dockerfile', 'utf8')), Labels: labels };
  const work = await fs.mkdtemp(path.join(tmpdir(), 'sandpost-release-'));
  try {
    const [modules, program] = await Promise.all([modulesIn(work), programIn(work)]);
    const images = await Promise.all(
      architectures.map(async ({ architecture, node }) => {
        const base = await baseIn(path.join(work, architecture), architecture);
        const layers = [base.layer, await nodeIn(path.join(work, node), node), modules.layer, ...program];
        const platform = { architecture, os: 'linux' };
        const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
        const text = { created: about.created, ...platform, config: settings, rootfs };
        const config = await layout.add(types.config, JSON.stringify(text));
        const written = await Promise.all(layers.map(({ bytes }) => layout.add(types.layer, bytes)));
        const manifest = { ...(await layout.addManifest(config, written)), platform };
        const others = await npmComponents('package-lock.json', (name) => [node, ...inPage].includes(name));
        return { architecture, manifest, components: [...base.components, ...others, ...modules.components] };
      }),
    );
    const manifests = images.map(({ manifest }) => manifest);
    const index = await layout.addJson({ mediaType: types.index, manifests, annotations: labels });
    layout.entries.push({ entry: index, tag: about.version });
    return { index, images };
  } finally {
    await fs.rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Reads from the Dockerfile how the Dockerfile's image runs, so that this image runs the same way. */
function settingsOf(dockerfile: string) {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ');
  const argument = (word: string) => new RegExp(`^${word} (.*)$`, 'm').exec(last)?.[1]?.trim() ?? '';
  const ports = argument('EXPOSE').split(' ');
  return {
    User: argument('USER'),
    WorkingDir: argument('WORKDIR'),
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...argument('ENV').split(/ +/)],
    Entrypoint: JSON.parse(argument('ENTRYPOINT')),
    Cmd: JSON.parse(argument('CMD')),
    Volumes: { [argument('VOLUME')]: {} },
    ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
  };
}

/** Unpacks Debian's packages without running their scripts, which need root, and writes what the scripts would write. */
async function baseIn(root: string, architecture: string) {
  // In images without a package manager, scanners look here.
  const known = path.join(root, 'var/lib/dpkg/status.d');
  await fs.mkdir(known, { recursive: true });
  const packages = `${root}-packages`;
  await debianPackages(architecture, packages);
  const components: Component[] = [];
  for (const file of globSync(`${packages}/*.deb`).sort()) {
    await run('dpkg-deb', ['-x', file, root]);
    const control = (await run('dpkg-deb', ['-f', file])).toString();
    const component = debianComponent(control);
    components.push(component);
    await fs.writeFile(path.join(known, component.name), control);
  }
  for (const file of globSync('usr/share/{man,locale,lintian,doc/*/*}', { cwd: root }))
    if (!file.endsWith('/copyright')) await fs.rm(path.join(root, file), { recursive: true });
  const etc = {
    passwd: `root:x:0:0::/root:/bin/sh\nsandpost:x:${user}:${user}::/data:/bin/sh\n`,
    group: `root:x:0:\nsandpost:x:${user}:\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  };
  for (const [name, text] of Object.entries(etc)) await fs.writeFile(path.join(root, 'etc', name), text);
  // BusyBox lists its tools' names in one place, and its package does not link them.
  const busybox = (await fs.readFile(path.join(root, 'bin/busybox'))).toString('latin1');
  const tools = /\0\[\[\0((?:[a-z][\w-]*\0)+)/.exec(busybox)?.[1]?.split('\0') ?? [];
  for (const tool of tools.filter((name) => name !== '' && name !== 'busybox'))
    await fs.symlink('busybox', path.join(root, 'bin', tool));
  await fs.symlink('/bin/env', path.join(root, 'usr/bin/env'));
  return { components, layer: await layerOf(root) };
}

async function nodeIn(root: string, name: string) {
  const from = await nodePackage(name);
  await fs.cp(path.join(from, 'bin/node'), path.join(root, 'usr/local/bin/node'));
  await fs.cp(path.join(from, 'LICENSE'), path.join(root, 'usr/local/share/doc/node/copyright'));
  return await layerOf(root);
}

/** Installs the runtime packages, as the Dockerfile does. */
async function modulesIn(work: string) {
  const root = path.join(work, 'modules');
  const app = path.join(root, 'app');
  const listed = ['package.json', 'package-lock.json', '.npmrc'];
  for (const file of listed) await fs.cp(file, path.join(app, file));
  await run('npm', ['ci', '--omit=dev', '--omit=optional', '--prefer-offline'], { cwd: app });
  for (const file of [...listed, ...globSync('node_modules/**/*.{map,d.ts,d.mts,d.cts}', { cwd: app })])
    await fs.rm(path.join(app, file), { recursive: true });
  const native = globSync('node_modules/**/*.node', { cwd: app });
  if (native.length > 0) throw new Error(`these files support only one architecture: ${native.join(', ')}`);
  const components = await npmComponents(`${app}/node_modules/.package-lock.json`);
  return { components, layer: await layerOf(root) };
}

/** Copies what is built, and the other files in git that `.dockerignore` allows. Creates the folders that the user writes to. */
async function programIn(work: string) {
  const root = path.join(work, 'program');
  const allowed = (await fs.readFile('.dockerignore', 'utf8')).match(/(?<=^!).+/gm) ?? [];
  const files = (await run('git', ['ls-files', '--', ...allowed])).toString().trim().split('\n');
  const built = globSync('{api/web/dist,dist/server}/**/*', { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  if (built.length === 0) throw new Error('nothing is built: run npm run build');
  for (const file of [...files.filter((name) => !isSource.test(name)), ...built]) {
    const place = path.join(root, 'app', file);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.cp(file, place);
    // Git stores only one bit of a file's mode, and the checkout's umask determines the others.
    await fs.chmod(place, (await fs.stat(file)).mode & 0o755);
  }
  await fs.mkdir(path.join(root, 'usr/local/bin'), { recursive: true });
  await fs.symlink('/app/bin/sandpost', path.join(root, 'usr/local/bin/sandpost'));
  const program = await layerOf(root);
  const places = ['app/compiled', 'data'];
  for (const place of places) await fs.mkdir(path.join(root, place), { recursive: true });
  return [program, await layerOf(root, user, places)];
}

/** Sources of what is built. */
const isSource = /(?<!\.d)\.tsx?$/;

/** Creates a layer from a folder: sorted, without times, with one owner. Caches a large one: Node takes ten seconds. */
async function layerOf(root: string, owner = 0, names = globSync('*', { cwd: root }).sort()) {
  const same = ['--sort=name', '--mtime=@0', '--numeric-owner', `--owner=${owner}`, `--group=${owner}`];
  const tar = await run('tar', ['-c', '--format=gnu', ...same, '-C', root, ...names]);
  const sum = hash('sha256', tar, 'hex');
  const kept = path.join(cache, `${sum}-${process.versions.zlib}-${process.arch}.gz`);
  const bytes = existsSync(kept) ? await fs.readFile(kept) : await deflate(tar);
  if (tar.length > 2 ** 26 && !existsSync(kept)) {
    await fs.mkdir(cache, { recursive: true });
    await fs.writeFile(`${kept}.${process.pid}`, bytes);
    await fs.rename(`${kept}.${process.pid}`, kept);
  }
  return { diffId: `sha256:${sum}`, bytes };
}
