import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertionOf } from '#api/web/message/assertion.ts';
import { startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok } from '#test/support/program/user.ts';

test('the assertion that the page copies of a message holds of it', async () => {
  await using program = await startProgram();
  const user = await createUser(program);
  const pdf = { filename: 'Invoice.pdf', content: 'x', contentType: 'application/pdf' };
  const id = await deliverOne(program, {
    ...{ to: user.address, subject: 'Welcome "Ada" \\o/' },
    text: 'Your code is 493817. Confirm your address: https://app.test:8443/verify?t=1',
    attachments: [pdf, { ...pdf, filename: `${'x'.repeat(300)}.pdf` }],
  });
  const copied = assertionOf(await ok(user.api.get(`/api/messages/${id}`)));
  const { status, json } = await user.api.post('/api/assert', copied);
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.clauses.length, 6);
});
