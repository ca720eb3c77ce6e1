import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryDir } from '#test/support/program/program.ts';

const run = promisify(execFile);

/**
 * Last commit of release 0.1.0. Its program has no migrations, and its definitions no key scope. Its image and chart are built
 * from the history.
 */
const earlier = '6de742b';

/** Reason why the earlier release cannot be built, or null. */
export async function noEarlierRelease(): Promise<string | null> {
  const known = await run('git', ['cat-file', '-e', `${earlier}^{commit}`]).catch(() => null);
  return known === null ? `the history has no ${earlier}, as in a shallow clone` : null;
}

/** Builds the image `sandpost:before`. Returns its source folder, which contains its chart. */
export async function buildEarlier(): Promise<string> {
  const folder = await temporaryDir();
  await run('git', ['archive', '--output', `${folder}/sources.tar`, earlier]);
  await run('tar', ['-xf', `${folder}/sources.tar`, '-C', folder]);
  // A build step starts the program in this machine's network, where its own ports may be in use.
  const file = `${folder}/Dockerfile`;
  const ports = 'SANDPOST_HTTP_PORT=0 SANDPOST_SMTP_PORT=0 SANDPOST_OPS_PORT=0';
  await writeFile(file, (await readFile(file, 'utf8')).replace('RUN export ', `RUN export ${ports} `));
  const script = path.resolve('test/cluster/image.sh');
  const options = { maxBuffer: 16 * 1024 * 1024 };
  await run('nice', [script, 'sandpost:before', file, folder], options);
  return folder;
}

/** Arguments of helm for values. */
export const setAll = (values: object): string[] =>
  Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
