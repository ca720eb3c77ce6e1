import { createReadStream, createWriteStream } from 'node:fs';
import { appendFile, mkdir, open, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { ArchivedMessage, ArchivedUser, ArchiveFolder } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';

const format = 1;
const dateFields = new Set(['createdAt', 'receivedAt', 'expiresAt', 'checkedAt', 'nextCheckAt']);

/**
 * Opens an archive, a folder that people can read: `manifest.json` (users, keys' hashes, domains, accounts),
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
  return {
    async writeUsers(users) {
      await writeWhole(at('manifest.json'), `${JSON.stringify({ format, users }, null, 2)}\n`);
    },
    async readUsers() {
      const text = await readFile(at('manifest.json'), 'utf8').catch(() => {
        throw new Error(`${folder} holds no archive: manifest.json cannot be read`);
      });
      const manifest: { format: number; users: ArchivedUser[] } = JSON.parse(text, reviveDates);
      if (manifest.format !== format)
        throw new Error(
          `${folder}: archive format ${manifest.format} is not supported by this version of Sandpost`,
        );
      return manifest.users;
    },
    async addMessage(message, bytes) {
      const file = at('messages', `${message.id}.eml`);
      await pipeline(bytes, createWriteStream(`${file}.part`, { flush: true }));
      await rename(`${file}.part`, file);
      await appendFile(lines, `${JSON.stringify(message)}\n`);
    },
    messages: () => readLines<ArchivedMessage>(lines),
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
