import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid } from '#core/errors.ts';
import {
  type ClientTable,
  chooseClients,
  type Feature,
  judgeClients,
  lackedFeatures,
  type Support,
} from './client-support.ts';

const clients = ['gmail.android', 'gmail.ios', 'outlook.windows'];

function feature(slug: string, rows: Record<string, Support>, notes: string[] = []): [string, Feature] {
  const supportIn = (client: string) => {
    const support = rows[client];
    return support === undefined ? null : { support, notes };
  };
  return [slug, { slug, title: slug.toUpperCase(), url: `https://a.test/${slug}`, supportIn }];
}

const table: ClientTable = {
  date: '2026-05-13',
  clients,
  shareOf: (client) => (client === 'gmail.ios' ? 2 : 1),
  features: new Map([
    feature('flex', { 'gmail.ios': 'yes', 'gmail.android': 'partial', 'outlook.windows': 'no' }),
    feature('noted', { 'gmail.ios': 'yes' }, ['Only in light mode.']),
    feature('table', { 'gmail.ios': 'yes', 'outlook.windows': 'yes' }),
    feature('hsl', { 'outlook.windows': 'partial', 'gmail.android': 'no' }),
  ]),
};

test('clients are chosen by family and by name', () => {
  const cases: [string[] | null, string[]][] = [
    [null, clients],
    [['gmail'], ['gmail.android', 'gmail.ios']],
    [
      ['outlook.windows', 'gmail.ios', 'gmail.ios'],
      ['gmail.ios', 'outlook.windows'],
    ],
  ];
  for (const [names, chosen] of cases) assert.deepEqual(chooseClients(table, names), chosen);
  for (const name of ['gmai', 'gmail.', 'gmail.windows', '', '.ios', 'x'.repeat(500)]) {
    assert.throws(
      () => chooseClients(table, ['gmail', name]),
      (error) => {
        assert.ok(error instanceof Invalid);
        const [violation] = error.violations;
        assert.equal(violation?.field, 'clients');
        assert.match(
          violation?.message ?? '',
          /the families are gmail, outlook; the clients are gmail\.android, /,
        );
        return (violation?.message.length ?? 0) < 300;
      },
    );
  }
});

test('a client supports as much as its least supported feature, and the score weighs each feature in each client', () => {
  const cases: { used: string[]; support: Support[]; score: number; complete: number }[] = [
    { used: [], support: ['yes', 'yes', 'yes'], score: 100, complete: 3 },
    { used: ['table', 'unknown'], support: ['yes', 'yes', 'yes'], score: 100, complete: 3 },
    // (0.5 + 2 + 0) of 4
    { used: ['flex'], support: ['partial', 'yes', 'no'], score: 63, complete: 1 },
    // (2 + 2.5 + 0.5) of (2 + 4 + 2)
    { used: ['noted', 'flex', 'hsl'], support: ['no', 'yes', 'no'], score: 63, complete: 1 },
  ];
  for (const { used, support, score, complete } of cases) {
    const uses = used.map((slug) => ({ slug, count: 2, line: 7 }));
    const judged = judgeClients(table, uses, clients);
    assert.deepEqual(
      judged.clients.map((one) => one.support),
      support,
      `${used}`,
    );
    assert.equal(judged.score, score);
    assert.deepEqual(judged.complete, { clients: complete, of: 3 });
  }
  assert.equal(judgeClients(table, [{ slug: 'flex', count: 1, line: 1 }], ['gmail.ios']).score, 100);
});

test('features without full support are listed, the worst first, with their notes', () => {
  const uses = ['noted', 'hsl', 'flex', 'table'].map((slug, at) => ({ slug, count: 1, line: at + 1 }));
  const [, ios, windows] = judgeClients(table, uses, clients).clients;
  assert.deepEqual(ios?.features, [
    {
      slug: 'noted',
      title: 'NOTED',
      url: 'https://a.test/noted',
      support: 'yes',
      count: 1,
      line: 1,
      notes: ['Only in light mode.'],
    },
  ]);
  assert.deepEqual(
    windows?.features.map(({ slug, support }) => `${slug} ${support}`),
    ['flex no', 'hsl partial'],
  );
});

test('features that clients lack are listed with these clients, the most widely lacked first', () => {
  const uses = ['hsl', 'flex', 'table'].map((slug) => ({ slug, count: 1, line: 1 }));
  const wider = feature('gap', { 'gmail.ios': 'no', 'outlook.windows': 'no' });
  const all = { ...table, features: new Map([...table.features, wider]) };
  const judged = judgeClients(all, [...uses, { slug: 'gap', count: 1, line: 1 }], clients);
  assert.deepEqual(lackedFeatures(judged.clients), [
    { slug: 'gap', clients: ['gmail.ios', 'outlook.windows'] },
    { slug: 'hsl', clients: ['gmail.android'] },
    { slug: 'flex', clients: ['outlook.windows'] },
  ]);
});
