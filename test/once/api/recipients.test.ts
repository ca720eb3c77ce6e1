import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const { program, user: alice } = await scene();
const bob = await createUser(program);

const from = 'From: friend@example.com\r\n';

/** Header fields that do not name the recipient. */
const headers: [string, string][] = [
  ['no To', from],
  ['an empty To', `${from}To: \r\n`],
  ['undisclosed recipients', `${from}To: undisclosed-recipients:;\r\n`],
  ['a To without addresses', `${from}To: everybody\r\n`],
  ['another To', `${from}To: list@example.com\r\n`],
  ['neither From nor To', ''],
];

const long = 'word '.repeat(20_000);

for (const [name, header] of headers) {
  for (const [length, text] of [
    ['a short text', 'Hello.'],
    ['a long text', long],
  ]) {
    test(`a mail with ${name} and ${length} never shows a user another's recipients`, async () => {
      const board = `board+merger@${bob.domain.domain}`;
      await ok(bob.api.post('/api/accounts', { address: `board@${bob.domain.domain}` })).catch(() => null);
      const [local, domain] = alice.address.split('@');
      const tagged = `${local}+run7@${domain}`;
      const subject = `${name}, ${length}`;
      const raw = `${header}Subject: ${subject}\r\n\r\n${text}\r\n`;
      await deliver(program, { to: [tagged, board], raw });
      const found = async (user: User, query: Record<string, string>) => {
        const parameters = new URLSearchParams({ subject, ...query });
        return (await ok(user.api.get(`/api/messages?${parameters}`))).items;
      };
      for (const hidden of [board, 'merger', `@${bob.domain.domain}`]) {
        assert.deepEqual(await found(alice, { to: hidden }), [], `to=${hidden}`);
        assert.deepEqual(await found(alice, { q: hidden }), [], `q=${hidden}`);
      }
      assert.deepEqual(await found(bob, { to: domain ?? '' }), []);
      for (const own of [alice.address, tagged]) {
        assert.equal((await found(alice, { to: own })).length, 1, `to=${own}`);
        assert.equal((await found(alice, { q: own })).length, 1, `q=${own}`);
      }
      assert.equal((await found(bob, { to: board })).length, 1);

      const [listed] = await found(alice, {});
      const { body } = await alice.api.get(`/api/messages/${listed.id}`);
      assert.ok(!body.includes(bob.domain.domain), 'the message names no address of the other user');
      assert.ok(!JSON.stringify(listed).includes(bob.domain.domain));
      assert.equal(
        listed.to_addresses.includes(tagged),
        !header.includes('list@'),
        'own recipients are shown',
      );
    });
  }
}
