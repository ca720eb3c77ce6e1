import { HttpClient } from '#test/support/clients/http.ts';
import { deliverOne } from './program-mail.ts';
import { scene } from './scene.ts';
import { createUser, ok } from './user.ts';

/**
 * Starts a program in which a user has three accounts with an email each, and two keys: `one` is limited to the account `own`,
 * and `two` to `own` and `also`. The account `foreign` is in the same team, and the account of `stranger` in another.
 */
export async function accountKeys() {
  const { program, user } = await scene();
  const stranger = await createUser(program);
  const makeAccount = async (name: string) => {
    const address = `${name}@${user.domain.domain}`;
    const made = await ok(user.api.post('/api/accounts', { address }));
    const { id }: { id: number } = made;
    const inbox: number = made.mailboxes.find(({ path }: { path: string }) => path === 'INBOX').id;
    return { id, address, inbox };
  };
  const keyFor = async (...accountIds: number[]) => {
    const made = await ok(user.api.post('/api/tokens', { account_ids: accountIds }));
    const { id, key }: { id: number; key: string } = made;
    return { id, key, api: new HttpClient(program, { 'x-api-key': key }) };
  };
  const mailOf = (to: string, words: object = {}) =>
    deliverOne(program, { to, subject: 'Secret words', text: 'Your code is 493817.', ...words });
  const [own, also] = [await makeAccount('own'), await makeAccount('also')];
  const foreign = { ...user.account, inbox: user.inbox };
  const file = { filename: 'a.txt', content: 'x', contentType: 'text/plain' };
  const whole = { attachments: [file], html: '<p>Hello</p>' };
  const ownMail = await mailOf(own.address, whole);
  const alsoMail = await mailOf(also.address);
  const foreignMail = await mailOf(foreign.address, { ...whole, headers: { 'X-Tags': 'hidden' } });
  const [one, two] = [await keyFor(own.id), await keyFor(own.id, also.id)];
  return {
    ...{ program, user, stranger, own, also, foreign, ownMail, alsoMail, foreignMail },
    ...{ one, two, makeAccount, keyFor, mailOf },
  };
}

/** Returns the IDs of a list's messages. */
export const idsOf = ({ items }: { items: { id: number }[] }) => items.map(({ id }) => id);
