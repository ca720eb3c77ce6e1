import { globSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/**
 * Builds the page if a source is newer than the build. Compresses each file once, at the highest level. `npm start`, `npm test`
 * and `npm run build` call it.
 */
const here = import.meta.dirname;
const dist = path.join(here, 'dist');

if (await isStale()) {
  const vite = await import('vite').catch(() => null);
  if (vite === null)
    process.stderr.write('The page is not built: vite is not installed (npm ci installs it)\n');
  else await build(vite);
}

async function isStale(): Promise<boolean> {
  const built = await stat(path.join(dist, 'index.html')).catch(() => null);
  if (built === null) return true;
  const sources = globSync('**/*.{ts,tsx,css,html,svg}', {
    cwd: here,
    exclude: ['dist*/**', '**/*.test.ts'],
  });
  const all = [...sources.map((name) => path.join(here, name)), path.join(here, '../../package-lock.json')];
  const times = await Promise.all(all.map(async (file) => (await stat(file)).mtimeMs));
  // Bounded: the files of the page.
  return Math.max(...times) > built.mtimeMs;
}

/** Compresses bytes with each length of the blocks that have their own codes, which `memLevel` sets. Returns the shortest result. */
function shortestGzip(bytes: Buffer): Buffer {
  const all = [5, 6, 7, 8].map((memLevel) => gzipSync(bytes, { level: 9, memLevel }));
  return all.reduce((shortest, one) => (one.length < shortest.length ? one : shortest));
}

/** Builds into a folder next to `dist` and then renames that folder, so a server that starts in the meantime reads a complete build. */
async function build({ build }: typeof import('vite')): Promise<void> {
  const next = await mkdtemp(`${dist}-`);
  process.once('exit', () => rmSync(next, { recursive: true, force: true }));
  const configFile = path.join(here, 'vite.config.ts');
  await build({ configFile, logLevel: 'warn', build: { outDir: next, emptyOutDir: true } });
  for (const name of globSync('**/*.{js,css,svg}', { cwd: next })) {
    const file = path.join(next, name);
    const bytes = await readFile(file);
    await writeFile(`${file}.br`, brotliCompressSync(bytes));
    await writeFile(`${file}.gz`, shortestGzip(bytes));
  }
  await chmod(next, 0o755);
  await rm(dist, { recursive: true, force: true });
  await rename(next, dist);
}
