import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Entry, tarGzip, zip } from './archives.ts';
import { toCommonJs, typesOfCommonJs } from './to-commonjs.ts';

/** Client file as served. Its name contains the version. `sha512` is in hexadecimal digits. */
export type ClientFile = { name: string; language: string; bytes: Buffer; sha512: string };

const folder = path.join(import.meta.dirname, '..');
const license = path.join(folder, '../LICENSE');
/** Placeholder for the version in the sources. */
const placeholder = '@VERSION@';

/** Creates the client files of a version. The files' bytes are the same each time. */
export async function packClients(version: string): Promise<ClientFile[]> {
  const packed = [
    await packJavaScript(version),
    await packPython(version),
    ...(await nameSources('java', /\.java$/, version)),
    ...(await nameSources('go', /(?<!_test)\.go$/, version)),
    ...(await nameSources('shell', /^sandpost/, version)),
  ];
  return packed.map((file) => ({ ...file, sha512: hash('sha512', file.bytes, 'hex') }));
}

type Packed = Omit<ClientFile, 'sha512'>;

/** Creates the npm package, under the name that `npm pack` gives it. */
async function packJavaScript(version: string): Promise<Packed> {
  const sources = await readSources('javascript', /^(package\.json|README\.md|.*\.js|.*\.d\.ts)$/, version);
  const entries = [...sources, ...inCommonJs(sources), { name: 'LICENSE', bytes: await readFile(license) }];
  const bytes = tarGzip(entries.map((entry) => ({ ...entry, name: `package/${entry.name}` })));
  return { name: `sandpost-client-${version}.tgz`, language: 'javascript', bytes };
}

/** Creates a CommonJS module next to each ES module, with the module's types. */
function inCommonJs(sources: Entry[]): Entry[] {
  return sources.flatMap(({ name, bytes }) => {
    const source = bytes.toString();
    if (name.endsWith('.d.ts'))
      return { name: name.replace('.d.ts', '.d.cts'), bytes: Buffer.from(typesOfCommonJs(source)) };
    return name.endsWith('.js')
      ? { name: name.replace('.js', '.cjs'), bytes: Buffer.from(toCommonJs(source)) }
      : [];
  });
}

/** Creates the wheel (PEP 427). The folder `dist-info` contains its metadata except RECORD. */
async function packPython(version: string): Promise<Packed> {
  const about = `sandpost-${version}.dist-info`;
  const metadata = await readSources('python/dist-info', /./, version);
  const entries = [
    ...(await readSources('python', /\.py$/, version)),
    ...metadata.map(({ name, bytes }) => ({ name: `${about}/${name}`, bytes })),
    { name: `${about}/LICENSE`, bytes: await readFile(license) },
  ];
  const lines = entries.map(
    ({ name, bytes }) => `${name},sha256=${hash('sha256', bytes, 'base64url')},${bytes.length}\n`,
  );
  const record = { name: `${about}/RECORD`, bytes: Buffer.from(`${lines.join('')}${about}/RECORD,,\n`) };
  const bytes = zip([...entries, record]);
  return { name: `sandpost-${version}-py3-none-any.whl`, language: 'python', bytes };
}

/** Adds the version to the sources' names: `Sandpost.java` becomes `Sandpost-0.3.0.java`. */
async function nameSources(language: string, wanted: RegExp, version: string): Promise<Packed[]> {
  const sources = await readSources(language, wanted, version);
  return sources.map(({ name, bytes }) => {
    const { name: stem, ext } = path.parse(name);
    return { name: `${stem}-${version}${ext}`, language, bytes };
  });
}

/** Reads the files in a folder whose names match, sorted by name, with the version filled in. */
async function readSources(from: string, wanted: RegExp, version: string): Promise<Entry[]> {
  const found = await readdir(path.join(folder, from), { withFileTypes: true });
  const names = found.flatMap((entry) => (entry.isFile() && wanted.test(entry.name) ? entry.name : []));
  return Promise.all(
    names.sort().map(async (name) => {
      const source = await readFile(path.join(folder, from, name), 'utf8');
      return { name, bytes: Buffer.from(source.replaceAll(placeholder, version)) };
    }),
  );
}
