import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Team } from '#core/access/people.ts';
import { requireAllowed, type SuffixRule } from './suffixes.ts';

const createdAt = new Date();
/** Team with this name, managed unless the name is a person's. */
const teamOf = (name: string): Team => ({
  ...{ id: 1, name, kind: name === 'ada' ? 'personal' : 'managed' },
  ...{ createdAt, allowsShares: true, clients: null },
});

const rule = (text: string): SuffixRule => {
  const [suffix = '', team = null] = text.split('=').reverse();
  return { team, suffix };
};

/** Suffixes, a team, names that it may register, and names that it may not. */
const cases: [suffixes: string, team: string, allowed: string[], refused: string[]][] = [
  [
    'test,shop=shop.test,{namespace}.pr.test',
    'ada',
    ['a.test', 'xshop.test', 'shop.a.test', 'pr.a.test'],
    ['test', 'shop.test', 'a.shop.test', 'victim.pr.test', 'a.victim.pr.test', 'pr.test'],
  ],
  [
    'test,shop=shop.test,{namespace}.pr.test',
    'shop',
    ['shop.test', 'a.b.shop.test', 'a.test'],
    ['pr.test', 'victim.pr.test'],
  ],
  [
    'test,shop=shop.test,{namespace}.pr.test',
    'namespace/qa',
    ['qa.pr.test', 'a.qa.pr.test', 'a.test'],
    ['pr.test', 'victim.pr.test', 'a.qb.pr.test', 'shop.test', 'a.shop.test'],
  ],
  ['test,shop=eu.shop.test', 'ada', ['a.shop.test'], ['shop.test', 'eu.shop.test', 'a.eu.shop.test']],
  ['shop.test,shop=shop.test', 'ada', [], ['shop.test', 'a.shop.test']],
  ['test,pr-{namespace}.test', 'ada', ['pr-.test', 'xpr-a.test'], ['pr-a.test', 'b.pr-a.test']],
  ['test,pr-{namespace}.test', 'namespace/a', ['pr-a.test', 'b.pr-a.test'], ['pr-b.test']],
  // The longer of two suffixes determines who owns a name.
  [
    'shop=shop.test,qa=qa.shop.test',
    'shop',
    ['shop.test', 'a.shop.test'],
    ['qa.shop.test', 'a.qa.shop.test'],
  ],
  ['shop=shop.test,qa=qa.shop.test', 'qa', ['qa.shop.test', 'a.qa.shop.test'], ['shop.test', 'a.shop.test']],
  ['shop=shop.test,{namespace}.shop.test', 'shop', ['shop.test'], ['victim.shop.test']],
  ['shop=shop.test,qa=shop.test', 'qa', ['shop.test', 'a.shop.test'], []],
];
for (const [suffixes, team, allowed, refused] of cases) {
  test(`${suffixes}: ${team} may register ${allowed.join(', ') || 'nothing'}`, async () => {
    const domainSuffixes = suffixes.split(',').map(rule);
    const ports = { teams: { find: async () => teamOf(team) }, domainSuffixes };
    for (const name of allowed) await assert.doesNotReject(requireAllowed(ports, 1, name), name);
    for (const name of refused)
      await assert.rejects(requireAllowed(ports, 1, name), { name: 'Invalid' }, name);
  });
}

test('a reserved name is said to be one', async () => {
  const ports = {
    teams: { find: async () => teamOf('ada') },
    domainSuffixes: ['test', 'shop=shop.test'].map(rule),
  };
  await assert.rejects(requireAllowed(ports, 1, 'a.shop.test'), /a\.shop\.test is reserved for another team/);
  await assert.rejects(requireAllowed(ports, 1, 'a.example'), /must end in test/);
});
