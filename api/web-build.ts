import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** File of the built page, with its compressed forms if there are any, and a strong ETag. */
export type BuiltFile = { type: string; body: Buffer; br: Buffer | null; gzip: Buffer | null; tag: string };

const dist = path.join(import.meta.dirname, 'web/dist');

/** Reads the built page into memory, by path (`/index.html`, `/assets/…`). Returns an empty map if it is not built. */
export function readWebBuild(): Map<string, BuiltFile> {
  if (!existsSync(dist)) return new Map();
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const shown = names.filter((name) => /\.(html|js|css|svg)$/.test(name));
  return new Map(shown.map((name) => [`/${name.replaceAll('\\', '/')}`, readBuilt(path.join(dist, name))]));
}

function readBuilt(file: string): BuiltFile {
  const body = readFileSync(file);
  const compressed = (end: string) => (existsSync(file + end) ? readFileSync(file + end) : null);
  return { type: path.extname(file), body, br: compressed('.br'), gzip: compressed('.gz'), tag: tagOf(body) };
}

/** Makes the same forms of a JSON document that never changes. */
export function buildJson(document: object): BuiltFile {
  const body = Buffer.from(JSON.stringify(document));
  const br = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  return { type: 'application/json', body, br, gzip: gzipSync(body), tag: tagOf(body) };
}

function tagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 32)}"`;
}
