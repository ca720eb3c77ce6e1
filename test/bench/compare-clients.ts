import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createClientTable } from '#adapters/checks/client-table.ts';
import { FeatureNames } from '#adapters/checks/feature-names.ts';
import { scanHtml } from '#adapters/checks/html-scan.ts';
import { newest } from '#adapters/checks/make-client-data.ts';
import { judgeClients } from '#core/checks/client-support.ts';
import { mailpitVersion } from './mailpit-binary.ts';
import { startMailpit } from './servers.ts';

/** Part of Mailpit's response to /api/v1/message/{id}/html-check. */
type Warning = {
  Slug: string;
  Score: { Found: number };
  Results: { Family: string; Platform: string; Version: string; Support: 'yes' | 'no' | 'partial' }[];
};
type HtmlCheck = { Warnings: Warning[]; Total: { Supported: number; Tests: number } };

const [dataFolder = '', ...folders] = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write(
    'node test/bench/compare-clients.ts <folder of the package caniemail> <folder of HTML>…\n',
  );
  process.exit(2);
}
const files = folders.flatMap((folder) =>
  globSync('**/*.{html,htm}', { cwd: folder }).map((file) => path.join(folder, file)),
);
const mails = files
  .map((file) => ({ file, html: readFileSync(file, 'utf8') }))
  .filter(({ html }) => html.length > 3000);
const table = createClientTable();
const names = new FeatureNames(table.features.values());
type Stats = Record<string, Record<string, Record<string, string>>>;
const { data }: { data: { slug: string; stats: Stats }[] } = JSON.parse(
  readFileSync(path.join(dataFolder, 'data/caniemail.json'), 'utf8'),
);
const statsOf = new Map(data.map(({ slug, stats }) => [slug, stats]));

/** Counts things by name. */
class Tally {
  readonly counts = new Map<string, number>();
  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
  rows(most = Number.POSITIVE_INFINITY): string[] {
    const sorted = [...this.counts].sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
    return sorted.slice(0, most).map(([name, count]) => `| ${name} | ${count} |`);
  }
}

const found = { both: 0, ours: new Tally(), theirs: new Tally() };
const verdicts = { same: 0, all: 0, differing: new Tally() };
const scores: { ours: number; theirs: number }[] = [];
const server = await startMailpit();
const base = `http://127.0.0.1:${server.httpPort}`;

async function ask<T>(url: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(base + url, init);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Compares Mailpit's verdict on the version that Sandpost considers the newest with our data for that version. */
function compareVerdicts({ Slug, Results }: Warning): void {
  const feature = table.features.get(Slug);
  for (const client of table.clients) {
    const [family = '', platform = ''] = client.split('.');
    const versions = statsOf.get(Slug)?.[family]?.[platform];
    if (versions === undefined) continue;
    const version = newest(Object.keys(versions));
    const theirs = Results.find(
      (one) => one.Family === family && one.Platform === platform && one.Version === version,
    );
    const ours = feature?.supportIn(client)?.support ?? 'left out';
    verdicts.all += 1;
    if (theirs?.Support === ours) verdicts.same += 1;
    else {
      const row = (versions[version] ?? '').replace(/#\d+/g, '#');
      verdicts.differing.add(`data "${row}" | ${ours} | ${theirs?.Support ?? 'no such version'}`);
    }
  }
}

try {
  for (const { html } of mails) {
    const { ID } = await ask<{ ID: string }>('/api/v1/send', {
      From: { Email: 'shop@example.com' },
      To: [{ Email: 'qa@app.test' }],
      Subject: 'Newsletter',
      HTML: html,
    });
    const check = await ask<HtmlCheck>(`/api/v1/message/${ID}/html-check`);
    const { uses } = scanHtml(html, names);
    const ours = new Set(uses.map(({ slug }) => slug));
    const theirs = new Map(
      check.Warnings.filter(({ Score }) => Score.Found > 0).map((one) => [one.Slug, one]),
    );
    for (const [slug, warning] of theirs) {
      if (ours.has(slug)) {
        found.both += 1;
        compareVerdicts(warning);
      } else found.theirs.add(slug);
    }
    for (const slug of ours) if (!theirs.has(slug)) found.ours.add(slug);
    scores.push({ ours: judgeClients(table, uses, table.clients).score, theirs: check.Total.Supported });
  }
} finally {
  await server.stop();
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]?.toFixed(0);
const range = (values: number[]) =>
  `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}, median ${median(values)}`;
const report = `${mails.length} mails; Mailpit ${mailpitVersion}; our data of ${table.date}.

Features that both found: ${found.both}. Verdicts on these in each client's newest version: ${verdicts.all}, of which the same: ${verdicts.same}.

| row of the data | Sandpost | Mailpit | verdicts |
|---|---|---|---|
${verdicts.differing.rows().join('\n')}

Scores. Sandpost: ${range(scores.map(({ ours }) => ours))}. Mailpit: ${range(scores.map(({ theirs }) => theirs))}.

| feature that Mailpit alone found | mails |
|---|---|
${found.theirs.rows().join('\n')}

| feature that Sandpost alone found | mails |
|---|---|
${found.ours.rows().join('\n')}
`;
process.stdout.write(report);
