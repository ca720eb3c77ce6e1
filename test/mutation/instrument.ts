import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const version = '10.1.1';
const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'sandpost');

type Position = { line: number; column: number };
type Mutant = {
  id: string;
  mutatorName: string;
  location: { start: Position; end: Position };
  replacement: string;
  status?: string;
};
type Instrumenter = {
  instrument(
    files: { name: string; mutate: true; content: string }[],
    options: Record<string, unknown>,
  ): Promise<{ files: { name: string; content: string }[]; mutants: (Mutant & { fileName: string })[] }>;
};

/** Change of a source. Its number is its place in the list of all changes. */
export type Change = { number: number; source: string; line: number; from: string; to: string };

/** Writes copies of the sources that contain all changes, each behind a switch, into a folder. Returns changes and copies. */
export async function instrument(
  sources: string[],
  folder: string,
): Promise<{ changes: Change[]; copies: Record<string, string> }> {
  const instrumenter = await loadInstrumenter();
  const contents = new Map<string, string>();
  for (const source of sources) contents.set(source, await readFile(source, 'utf8'));
  const { files, mutants } = await instrumenter.instrument(
    [...contents].map(([name, content]) => ({ name, mutate: true, content })),
    // Strings are not changed: an empty one alters the words of a message, or breaks SQL at once.
    { plugins: null, noHeader: true, excludedMutations: ['StringLiteral'], ignorers: [] },
  );
  const copies: Record<string, string> = {};
  for (const { name, content } of files) {
    const copy = path.join(folder, name);
    await mkdir(path.dirname(copy), { recursive: true });
    await writeFile(copy, content);
    copies[pathToFileURL(name).href] = copy;
  }
  const changes = mutants
    .filter(({ status }) => status === undefined)
    .map(({ id, fileName, location, replacement }) => ({
      number: Number(id),
      source: fileName,
      line: location.start.line + 1,
      from: textAt(contents.get(fileName) ?? '', location.start, location.end),
      to: replacement,
    }));
  return { changes, copies };
}

function textAt(content: string, start: Position, end: Position): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column);
  lines[0] = (lines[0] ?? '').slice(start.column);
  return lines.join('\n');
}

/** Loads StrykerJS's instrumenter. Installs it first beside the other tools of tests if it is missing. */
async function loadInstrumenter(): Promise<Instrumenter> {
  const folder = path.join(cache, `stryker-instrumenter-${version}`);
  const entry = path.join(folder, 'node_modules/@stryker-mutator/instrumenter/dist/src/index.js');
  if (!existsSync(entry)) {
    const name = `@stryker-mutator/instrumenter@${version}`;
    await mkdir(folder, { recursive: true });
    await promisify(execFile)('npm', ['install', '--prefix', folder, '--no-save', name]);
  }
  const { Instrumenter } = await import(pathToFileURL(entry).href);
  const silent = new Proxy({}, { get: () => () => false });
  return new Instrumenter(silent);
}
