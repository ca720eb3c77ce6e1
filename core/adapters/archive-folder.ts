import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, open, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { ArchivedMessage, ArchivedPeople, ArchiveFolder } from '#core/archive/archive.ts';
import { type OldMessage, type OldUser, peopleOf, withTeams } from '#core/archive/old-archive.ts';
import type { Id } from '#core/ids.ts';

/** Format of the archives that are written. Those of the first format, without teams, are read too. */
const format = 2;
const dateFields = new Set([
  'createdAt',
  'joinedAt',
  'disabledAt',
  'receivedAt',
  'expiresAt',
  'checkedAt',
  'nextCheckAt',
]);

type Manifest = ({ format: 2 } & ArchivedPeople) | { format: 1; users: OldUser[] };

/**
 * Opens an archive, a folder that people can read: `manifest.json` (users, teams, keys' hashes, domains, accounts),
 * `messages/<id>.eml` as received, `messages.jsonl` (one line a message, with the facts that are not in its bytes) and,
 * after an import, `imported.jsonl` (names of stores, old and new ids). File names are made of ids, never of text from a mail.
 */
export async function openArchiveFolder(folder: string): Promise<ArchiveFolder> {
  const at = (...parts: string[]) => path.join(folder, ...parts);
  await mkdir(at('messages'), { recursive: true });
  const lines = at('messages.jsonl');
  const table = at('imported.jsonl');
  await dropBrokenLine(lines);
  await dropBrokenLine(table);
  const readPeople = async (): Promise<ArchivedPeople> => {
    const text = await readFile(at('manifest.json'), 'utf8').catch(() => {
      throw new Error(`${folder} holds no archive: manifest.json cannot be read`);
    });
    const manifest: Manifest = JSON.parse(text, reviveDates);
    if (manifest.format === 1) return peopleOf(manifest.users, new Date());
    if (manifest.format === format) return { users: manifest.users, teams: manifest.teams };
    const found: { format?: unknown } = manifest;
    throw new Error(`${folder}: archive format ${found.format} is not supported by this version of Sandpost`);
  };
  return {
    async writePeople(people) {
      // The ids of messages in such an archive are those of a store that this version cannot open.
      const before = await readFile(at('manifest.json'), 'utf8').catch(() => null);
      if (before !== null && JSON.parse(before).format !== format)
        throw new Error(
          `${folder} holds an archive of another version of Sandpost: export into a new folder`,
        );
      await writeWhole(at('manifest.json'), `${JSON.stringify({ format, ...people }, null, 2)}\n`);
    },
    readPeople,
    async addMessage(message, bytes) {
      const file = at('messages', `${message.id}.eml`);
      await pipeline(bytes, createWriteStream(`${file}.part`, { flush: true }));
      await rename(`${file}.part`, file);
      await appendFile(lines, `${JSON.stringify(message)}\n`);
    },
    async *messages() {
      const withTeam = withTeams(await readPeople());
      for await (const message of readLines<ArchivedMessage | OldMessage>(lines)) yield withTeam(message);
    },
    openMessage: (id) => createReadStream(at('messages', `${id}.eml`)),
    noteImported: (installation, old, fresh) =>
      appendFile(table, `${JSON.stringify([installation, old, fresh])}\n`),
    async imported(installation) {
      const ids = new Map<Id, Id>();
      for await (const [into, old, fresh] of readLines<[string, Id, Id]>(table))
        if (into === installation) ids.set(old, fresh);
      return ids;
    },
  };
}

async function* readLines<T>(file: string): AsyncGenerator<T> {
  const handle = await open(file, 'a+');
  for await (const line of createInterface({
    input: handle.createReadStream({ start: 0 }),
    crlfDelay: Infinity,
  })) {
    yield JSON.parse(line, reviveDates);
  }
}

/** Cuts off a last line without an end, which a process leaves that dies while it writes. The line is written again. */
async function dropBrokenLine(file: string): Promise<void> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null) return;
  const whole = bytes.lastIndexOf(0x0a) + 1;
  if (whole < bytes.length) await truncate(file, whole);
}

async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { flush: true });
  await rename(`${file}.part`, file);
}

function reviveDates(key: string, value: unknown): unknown {
  return dateFields.has(key) && typeof value === 'string' ? new Date(value) : value;
}
