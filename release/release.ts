import { createPublicKey } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packClients } from '#clients/pack/pack-clients.ts';
import { parseOptions } from '#setup/parse-options.ts';
import { about, run } from './about.ts';
import { writeChart } from './chart.ts';
import { writeImage } from './image.ts';
import { Layout, types } from './layout.ts';
import { changesOf, notesOf } from './notes.ts';
import { Repository } from './push.ts';
import { billsOf } from './sbom.ts';
import { addSignature, readKey, signatureOf } from './sign.ts';

/** Writes a release of this checkout and pushes it (docs/releases.md): `npm run release -- [options]`. */
const { values: options } = parseOptions({
  options: {
    out: { type: 'string', default: 'dist/release' },
    push: { type: 'string' },
    key: { type: 'string' },
    'pgp-key': { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const name = options.push ?? 'sandpost';
const charts = `${name}/charts/sandpost`;
const to = options.push === undefined ? null : { image: new Repository(name), chart: new Repository(charts) };
const key = options.key === undefined ? null : readKey(options.key);
// Runs before the image is written, because the image contains the list. Files have the same modes on every machine.
if (options.record) await import('#clients/write-released.ts');
process.umask(0o022);
const what = await about();
const out = path.resolve(options.out);
await rm(out, { recursive: true, force: true });
await mkdir(path.join(out, 'clients'), { recursive: true });
const write = (file: string, content: string | Buffer) => writeFile(path.join(out, file), content);
const layoutIn = (folder: string) => new Layout(path.join(out, folder));
const image = layoutIn('image');
const attached = layoutIn('image-attached');
const { index, images } = await writeImage(image, what);
for (const { architecture, components, manifest } of images)
  for (const { type, file, text } of billsOf(architecture, components, what)) {
    await write(file, text);
    const empty = await attached.add(types.empty, '{}');
    const more = { artifactType: type, subject: manifest };
    const entry = await attached.addManifest(empty, [await attached.add(type, text)], more);
    attached.entries.push({ entry, tag: undefined });
  }
const chart = layoutIn('chart');
const attachedToChart = layoutIn('chart-attached');
const packed = await writeChart(chart, out, what.version, name, options['pgp-key']);
for (const { name, bytes } of await packClients(what.version)) await write(`clients/${name}`, bytes);
const changes = changesOf(await readFile('CHANGELOG.md', 'utf8'), what.version);
await write('notes.md', notesOf(what.version, name, index.digest, packed.digest, changes));
if (key !== null) {
  for (const signed of [index, ...images.map(({ manifest }) => manifest)])
    await addSignature(attached, signed, name, key);
  await addSignature(attachedToChart, packed, charts, key);
  await write('release.pub', createPublicKey(key).export({ type: 'spki', format: 'pem' }));
}
for (const layout of [image, attached, chart, attachedToChart]) await layout.end();

// Blobs have checksums in their names, and index.json contains the checksums of the manifests.
const files = globSync(['*.*', 'clients/*', '*/index.json'], { cwd: out }).sort();
const sums = (await run('sha256sum', files, { cwd: out })).toString();
await write('SHA256SUMS', sums);
if (key !== null) await write('SHA256SUMS.sig', signatureOf(sums, key));

process.stdout.write(`image ${name}:${what.version} ${index.digest}\n`);
process.stdout.write(`chart ${charts}:${what.version} ${packed.digest}\n`);
// Pushes signatures first, so everybody who pulls a version finds its signature.
await to?.image.push(attached);
await to?.image.push(image);
await to?.chart.push(attachedToChart);
await to?.chart.push(chart);
