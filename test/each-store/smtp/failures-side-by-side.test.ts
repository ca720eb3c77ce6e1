import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const teams = 2;
const rulesOfTeam = 50;
const connections = 40;

const { program, user: ada } = await scene();

/** Test with a separate rule, for a separate address or sender. */
type Retry = { to: string; from: string; times: number; codes: string[]; rule: () => Promise<Json> };

test(`${teams * rulesOfTeam} tests side by side, each with a rule: no rule counts the mail of another`, async () => {
  const tests: Retry[] = [];
  for (let team = 0; team < teams; team += 1) {
    const { api, domain } = await createTeam(program, ada, `side-${team}`);
    // One after the other: fifty changes of one team at once may wait longer than a slow machine allows.
    for (let index = 0; index < rulesOfTeam; index += 1) {
      const times = 1 + (index % 3);
      const own = { to: `qa+run${index}@${domain.domain}`, from: `app-${index}@sender.test` };
      const match = index % 2 === 0 ? { address: own.to } : { from: own.from };
      const stage = index % 5 === 0 ? 'end' : 'rcpt';
      const { id } = await ok(api.post('/api/failures', { match, stage, times }));
      tests.push({ ...own, times, codes: [], rule: () => ok(api.get(`/api/failures/${id}`)) });
    }
  }
  // Each connection sends emails for many tests, one attempt for each in turn.
  const senders = Array.from({ length: connections }, async (_, at) => {
    const client = await SmtpClient.open(program.smtpPort);
    const own = tests.filter((_, index) => index % connections === at);
    for (let left = own; left.length > 0; left = left.filter(({ codes }) => codes.at(-1) !== '250')) {
      for (const { to, from, codes } of left)
        codes.push((await client.send(from, [to], 'Subject: Hello\r\n\r\nHello\r\n')).slice(0, 3));
    }
    client.destroy();
  });
  await Promise.all(senders);
  assert.equal(tests.length, teams * rulesOfTeam);
  for (const { to, from, times, codes, rule } of tests) {
    assert.deepEqual(codes, [...Array(times).fill('451'), '250'], to);
    const { hits, attempts } = await rule();
    assert.equal(hits, times, to);
    assert.deepEqual(
      attempts.map((one: Json) => [one.mail_from, one.rcpt_to, one.reply === null]),
      codes.map((code) => [from, [to], code === '250']),
    );
  }
});
