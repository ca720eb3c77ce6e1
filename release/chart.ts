import { hash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { load } from 'js-yaml';
import { tarGzip } from '#clients/pack/archives.ts';
import { run } from './about.ts';
import type { Descriptor, Layout } from './layout.ts';

/** Media types of Helm (https://helm.sh/docs/topics/registries/). */
const helm = 'application/vnd.cncf.helm';

/**
 * Writes the chart as an archive and as an artifact, with provenance if a gpg key is named. The chart pulls the image of `repository`.
 */
export async function writeChart(layout: Layout, out: string, version: string, repository: string, pgp = '') {
  const places: Record<string, [from: string, to: string]> = {
    'sandpost/values.yaml': ['\n  repository: sandpost\n', `\n  repository: ${repository}\n`],
    'sandpost/Chart.yaml': [`image: sandpost:${version}\n`, `image: ${repository}:${version}\n`],
  };
  const ofChart = ['ls-files', 'sandpost', ':!sandpost/ci', ':!sandpost/.helmignore'];
  const names = (await run('git', ofChart, { cwd: 'charts' })).toString().trim().split('\n');
  const entries = names.map(async (name) => {
    const text = await readFile(path.join('charts', name), 'utf8');
    const [from = '', to = ''] = places[name] ?? [];
    if (!text.includes(from)) throw new Error(`${name} lacks ${from.trim()}`);
    return { name, bytes: Buffer.from(text.replace(from, to)) };
  });
  const archive = tarGzip(await Promise.all(entries));
  const file = path.join(out, `sandpost-${version}.tgz`);
  await writeFile(file, archive);
  const chart = (await run('tar', ['-xzOf', file, 'sandpost/Chart.yaml'])).toString();
  const layers: Descriptor[] = [await layout.add(`${helm}.chart.content.v1.tar+gzip`, archive)];
  if (pgp !== '') {
    const sums = `${chart}\n...\nfiles:\n  ${path.basename(file)}: sha256:${hash('sha256', archive, 'hex')}\n`;
    await writeFile(`${file}.text`, sums);
    await run('gpg', ['--batch', '--clear-sign', '-u', pgp, '-o', `${file}.prov`, `${file}.text`]);
    await rm(`${file}.text`);
    layers.push(await layout.add(`${helm}.chart.provenance.v1.prov`, await readFile(`${file}.prov`)));
  }
  const config = await layout.add(`${helm}.config.v1+json`, JSON.stringify(load(chart)));
  const entry = await layout.addManifest(config, layers);
  layout.entries.push({ entry, tag: version });
  return entry;
}
