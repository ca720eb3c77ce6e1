import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, type User } from '#test/support/program/user.ts';

const mail = await forAllTests(startMailProgram({}));
const victim = await createUser(mail.program);

const client_ip = '203.0.113.7';
const ask = ({ api }: User, id: number, facts: Json = {}) =>
  api.post(`/api/messages/${id}/authentication`, { client_ip, ...facts });

const times = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));
const bodyHash = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const signed = (tags: string, name = 'DKIM-Signature: v=1;') =>
  `${name} a=rsa-sha256; c=relaxed/relaxed; d=x.test; s=s; h=from; bh=${bodyHash}; ${tags} b=AAAA\r\n`;
const seal = (i: number) =>
  `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? 'none' : 'pass'}; d=x.test; s=s; b=AAAA\r\n${signed('', `ARC-Message-Signature: i=${i};`)}ARC-Authentication-Results: i=${i}; x.test; none\r\n`;

const lines = (count: number) => `${'a '.repeat(30)}\r\n`.repeat(count);
const mails: Record<string, string> = {
  'twenty signatures of a long body': `${times(20, (at) => signed(`l=${2_000_000 + at};`)).join('')}From: a@x.test\r\n\r\n${lines(50_000)}`,
  'fifty ARC sets': `${times(30, (at) => seal(50 - at)).join('')}From: a@x.test\r\n\r\nHello\r\n`,
};

/** Facts as long as a request may be. */
const facts: Record<string, Json> = {
  'nothing else': {},
  'policies of white space': {
    records: {
      'x.test': { TXT: times(4, () => `v=spf1 ${' '.repeat(4000)}-all`) },
      's._domainkey.x.test': { TXT: times(4, () => `v=DKIM1${' ;'.repeat(2000)}`) },
      '_dmarc.x.test': { TXT: times(4, () => `v=DMARC1${' '.repeat(4000)};p=none`) },
    },
  },
  'a key as long as a record': {
    records: { 's._domainkey.x.test': { TXT: [`v=DKIM1; k=rsa; p=${'B'.repeat(4000)}`] } },
  },
  'a policy of a hundred names that include one another': {
    mail_from: 'a@n0.test',
    records: Object.fromEntries(
      times(100, (at) => [
        `n${at}.test`,
        { TXT: [`v=spf1 ${times(9, (more) => `include:n${(at + more + 1) % 100}.test`).join(' ')} -all`] },
      ]),
    ),
  },
  'macros without an end': {
    mail_from: `${'a.'.repeat(100)}b@x.test`,
    records: { 'x.test': { TXT: [`v=spf1 ${'exists:%{lr-}.%{dr}.x.test '.repeat(140)}-all`] } },
  },
};

test('questions with assumed facts delay nobody, neither mail nor the questions of others', async () => {
  const ids: number[] = [];
  for (const raw of Object.values(mails))
    ids.push(await deliverOne(mail.program, { to: mail.user.address, raw }));
  const own = await deliverOne(mail.program, { to: victim.address });
  const statuses: number[] = [];
  const ofOther: number[] = [];
  const attack = async () => {
    let attacking = true;
    const other = async () => {
      while (attacking) ofOther.push((await ask(victim, own)).status);
    };
    const asking = other();
    const hostile = ids.flatMap((id) => Object.values(facts).map((body) => ask(mail.user, id, body)));
    const many = times(30, () => ask(mail.user, ids.at(-1) ?? 0));
    for (const { status } of await Promise.all([...hostile, ...many])) statuses.push(status);
    attacking = false;
    await asking;
  };
  assertUnharmed(await measureHarm(mail.program, victim, attack));
  // One runs and twenty wait. More are refused if they arrive at the same time.
  const unexpected = statuses.filter((status) => ![200, 429].includes(status));
  assert.deepEqual(unexpected, []);
  assert.ok(statuses.filter((status) => status === 200).length > 20, `${statuses}`);
  assert.deepEqual([...new Set(ofOther)], [200]);
});
