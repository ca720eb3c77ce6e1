import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryDir } from '#test/support/program/program.ts';

const run = promisify(execFile);

/** Last commit of release 0.2.0. Its image and chart are built from the history. */
const earlier = '4bea0148';

/** Reason why the earlier release cannot be built, or null. */
export async function noEarlierRelease(): Promise<string | null> {
  const known = await run('git', ['cat-file', '-e', `${earlier}^{commit}`]).catch(() => null);
  return known === null ? `the history has no ${earlier}, as in a shallow clone` : null;
}

/** Builds the image `sandpost:before`, without the page. Returns its source folder, which contains its chart. */
export async function buildEarlier(): Promise<string> {
  const folder = await temporaryDir();
  await run('git', ['archive', '--output', `${folder}/sources.tar`, earlier]);
  await run('tar', ['-xf', `${folder}/sources.tar`, '-C', folder]);
  // Skips the page, which takes most of the time.
  const file = `${folder}/Dockerfile`;
  const whole = await readFile(file, 'utf8');
  const page = /^FROM \S+ AS page\n.*?(?=^FROM )/ms;
  await writeFile(file, whole.replace(page, '').replace(/^COPY --from=page .*\n/m, ''));
  await buildImage('sandpost:before', file, folder);
  return folder;
}

/** Builds an image from a Dockerfile, and imports it into the tests' cluster. */
export async function buildImage(image: string, dockerfile: string, folder: string): Promise<void> {
  const script = path.resolve('test/cluster/image.sh');
  await run('nice', [script, image, dockerfile, folder], { maxBuffer: 16 * 1024 * 1024 });
}
