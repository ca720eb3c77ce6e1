import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { newSecret } from '#core/access/secrets.ts';
import type { ArchiveFolder } from '#core/archive/archive.ts';
import { type ArchivedPeople, messageShape, peopleShape } from '#core/archive/archive-shapes.ts';
import { id as idShape, record, type Shape, text } from '#core/archive/shape.ts';
import type { Id } from '#core/ids.ts';

/** Version of the archive format that this program writes and reads. */
const format = 2;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;
/** Flags for opening files: the folder's creator must not be able to redirect an access to a pipe, or to a file outside the folder. */
const here = O_NOFOLLOW | O_NONBLOCK;
const flags = {
  read: O_RDONLY | here,
  change: O_RDWR | here,
  append: O_WRONLY | O_CREAT | O_APPEND | here,
  write: O_WRONLY | O_CREAT | O_TRUNC | here,
};

/**
 * Opens an archive, a folder that people can read: `manifest.json` (users, teams, key hashes, domains, accounts), `messages/<id>.eml` as
 * received, `messages.jsonl` (one line per message, with the facts that are not in its bytes), `archive-id` and, after an import,
 * `imported.jsonl` (store names, old and new ids). File names consist of ids, never of text from an email. Somebody else may have created
 * the folder, so it follows no links and checks the shape of everything that it reads.
 */
export async function openArchiveFolder(folder: string): Promise<ArchiveFolder> {
  const at = (...parts: string[]) => path.join(folder, ...parts);
  const lines = at('messages.jsonl');
  const table = at('imported.jsonl');
  await mkdir(at('messages'), { recursive: true });
  await refuseLink(at('messages'));
  await dropBrokenLine(lines);
  await dropBrokenLine(table);
  const readManifest = async (): Promise<Record<string, unknown> | null> => {
    const content = await readWhole(at('manifest.json'));
    if (content === null) return null;
    const manifest: unknown = parsed(content, 'manifest.json');
    if (typeof manifest === 'object' && manifest !== null) return { ...manifest };
    throw new Error(`${folder}: manifest.json must be an object`);
  };
  const readPeople = async (): Promise<ArchivedPeople> => {
    const manifest = await readManifest();
    if (manifest === null) throw new Error(`${folder} contains no archive: manifest.json is missing`);
    if (manifest.format === format) return peopleShape(manifest, 'manifest.json');
    throw new Error(`${folder}: this version of Sandpost does not support archive format ${manifest.format}`);
  };
  return {
    async secret() {
      const known = (await readWhole(at('archive-id')))?.trim();
      if (known === undefined) {
        const fresh = newSecret();
        await writeWhole(at('archive-id'), `${fresh}\n`);
        return fresh;
      }
      if (!/^[\w-]{43}$/.test(known))
        throw new Error(`${folder}: archive-id must consist of 43 base64url characters`);
      return known;
    },
    async writePeople(people) {
      // Message ids in such an archive come from a store that this version cannot open.
      const before = await readManifest();
      if (before !== null && before.format !== format)
        throw new Error(
          `${folder} contains an archive from another version of Sandpost: export to a new folder`,
        );
      await writeWhole(at('manifest.json'), `${JSON.stringify({ format, ...people }, null, 2)}\n`);
    },
    readPeople,
    async addMessage(message, bytes) {
      const file = at('messages', `${message.id}.eml`);
      await pipeline(
        bytes,
        createWriteStream(`${file}.part`, { fd: await open(`${file}.part`, flags.write), flush: true }),
      );
      await rename(`${file}.part`, file);
      await append(lines, message);
    },
    async *messages() {
      await readPeople();
      yield* readLines(lines, messageShape);
    },
    async *openMessage(id, sizeBytes) {
      await refuseLink(at('messages'));
      const file = at('messages', `${id}.eml`);
      const handle = await openFile(file, flags.read);
      if (handle === null) throw new Error(`${file} is missing`);
      try {
        const { size } = await handle.stat();
        if (size !== sizeBytes)
          throw new Error(`${file} is ${size} bytes, but messages.jsonl specifies ${sizeBytes}`);
        yield* handle.createReadStream({ autoClose: false });
      } finally {
        await handle.close();
      }
    },
    noteImported: (installation, old, fresh) => append(table, [installation, old, fresh]),
    async imported(installation) {
      const ids = new Map<Id, Id>();
      for await (const { 0: into, 1: old, 2: fresh } of readLines(table, importedShape))
        if (into === installation) ids.set(old, fresh);
      return ids;
    },
  };
}

const importedFields = record<{ 0: string; 1: Id; 2: Id }>({ 0: text, 1: idShape, 2: idShape });
const importedShape: typeof importedFields = (value, at) => importedFields(Object.assign({}, value), at);

/** Reads a file's lines. Throws a one-sentence error that names the first line without the required shape. */
async function* readLines<T>(file: string, shape: Shape<T>): AsyncGenerator<T> {
  const handle = await openFile(file, flags.read);
  if (handle === null) return;
  const input = createInterface({ input: handle.createReadStream({ start: 0 }), crlfDelay: Infinity });
  let number = 0;
  for await (const line of input) {
    number += 1;
    const place = `${path.basename(file)}, line ${number}:`;
    yield shape(parsed(line, place), place);
  }
}

function parsed(content: string, place: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new Error(`${place} must be JSON`);
  }
}

/** Opens a regular file. Returns null if there is no regular file with that name. */
async function openFile(file: string, how: number): Promise<FileHandle | null> {
  const handle = await open(file, how).catch((error) => {
    if (error.code === 'ENOENT') return null;
    if (error.code === 'ELOOP') throw new Error(`${file} is a symbolic link, which Sandpost does not follow`);
    throw error;
  });
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${file} must be a regular file`);
}

async function refuseLink(folder: string): Promise<void> {
  if (!(await lstat(folder)).isDirectory())
    throw new Error(`${folder} must be a folder, not a symbolic link`);
}

async function readWhole(file: string): Promise<string | null> {
  const handle = await openFile(file, flags.read);
  if (handle === null) return null;
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

async function append(file: string, line: unknown): Promise<void> {
  const handle = await openFile(file, flags.append);
  try {
    await handle?.appendFile(`${JSON.stringify(line)}\n`);
  } finally {
    await handle?.close();
  }
}

/** Removes an unfinished last line, left by a process that died while writing it. The line is written again. */
async function dropBrokenLine(file: string): Promise<void> {
  const handle = await openFile(file, flags.change);
  if (handle === null) return;
  try {
    const bytes = await handle.readFile();
    const whole = bytes.lastIndexOf(0x0a) + 1;
    if (whole < bytes.length) await handle.truncate(whole);
  } finally {
    await handle.close();
  }
}

async function writeWhole(file: string, content: string): Promise<void> {
  const handle = await openFile(`${file}.part`, flags.write);
  try {
    await handle?.writeFile(content);
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  await rename(`${file}.part`, file);
}
