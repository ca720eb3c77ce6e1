import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutNodeClients, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { keyOf, type SharedTeam } from '#test/support/program/team.ts';
import { type Access, senders } from './provider-senders.ts';
import { assertAttempts, failing, startScene } from './scene.ts';

const scene = await forAllTests(startScene());

const accessOf = async (provider: string, team: SharedTeam): Promise<Access> => ({
  url: `${scene.baseUrl}/providers/${provider}`,
  key: (await keyOf(scene, team.api, { scope: 'send' })).key,
  to: team.address,
});

/**
 * Clients with default settings, with the number of attempts per call: if the API keeps refusing, and if it keeps closing the connection.
 */
const attempts: Record<keyof typeof senders, { refused: number; lost: number }> = {
  '@aws-sdk/client-sesv2': { refused: 3, lost: 3 },
  boto3: { refused: 3, lost: 3 },
  '@getbrevo/brevo': { refused: 3, lost: 1 },
  '@sendgrid/mail': { refused: 1, lost: 1 },
  postmark: { refused: 1, lost: 1 },
  'mailgun.js': { refused: 1, lost: 1 },
  resend: { refused: 1, lost: 1 },
  'node-mailjet': { refused: 1, lost: 1 },
  mailersend: { refused: 1, lost: 1 },
};

/** Faults that two attempts meet, and the status that a client reports. */
const faults = [
  ['429', 'refused', { reply: '429 Slow down' }, 429],
  ['503', 'refused', { reply: '503 Not now' }, 503],
  ['drop', 'lost', { action: 'drop' }, null],
] as const;

for (const [name, { provider, send }] of Object.entries(senders)) {
  const skip = name === 'boto3' ? withoutPythonClients : withoutNodeClients;
  for (const [fault, kind, words, status] of faults) {
    const each = attempts[name as keyof typeof senders][kind];
    const says = each === 1 ? 'tells its application, which tries again' : `makes ${each} attempts itself`;
    test(`${name} ${says}: ${fault}`, { skip }, async () => {
      // The client mailgun.js reports a lost connection as status 400.
      const told = name === 'mailgun.js' ? (status ?? 400) : status;
      const team = await scene.team(`${provider}-${name.replace(/\W/g, '')}-${fault}`);
      const access = await accessOf(provider, team);
      const passing = await failing(team, { stage: 'api', ...words, times: 2 });
      const results: (number | null)[] = [];
      while (results.length < 3 && results.at(-1) !== 200) results.push(await send(access));
      assert.deepEqual(results, each === 1 ? [told, told, 200] : [200]);
      await assertAttempts(team, passing, { failed: 2, passed: 1, stored: 1 });
      await team.api.delete(`/api/failures/${passing}`);
      const staying = await failing(team, { stage: 'api', ...words });
      assert.equal(await send(access), told);
      await assertAttempts(team, staying, { failed: each, passed: 0, stored: 1 });
    });
  }
}
