import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { BrowserLike } from '#test/support/clients/browser-like.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { authPlain, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { commandsOn, done } from '#test/support/program/command.ts';
import { startIdentityProvider } from '#test/support/program/identity-provider.ts';
import { startProcess } from '#test/support/program/process.ts';
import {
  onCluster,
  type Program,
  running,
  startProgram,
  storeSettings,
  temporaryDir,
} from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { beginAt, readAs, refused, sessionCookie, signInAt } from '#test/support/program/sign-in.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, login, ok, type User } from '#test/support/program/user.ts';
import { shortest } from '#test/support/runner/shortest.ts';

const provider = await startIdentityProvider();
after(() => provider.close());
const program = await forAllTests(startProgram(provider.settings));

/** Maximum time in ms until the end of a credential is noticed. */
const endsWithinMs = 3000;

type At = Pick<Program, 'baseUrl' | 'httpPort' | 'smtpPort'>;

/** Email address that a stranger registered, with all that they left in the personal team and took elsewhere. */
async function prehijack(program: At) {
  const bob = await createUser(program);
  const mallory = await createUser(program);
  const personal = { id: bob.id, api: sessionOf(program, bob, bob.id) };
  await join(program, personal, mallory, 'owner');
  const asOwner = sessionOf(program, mallory, bob.id);
  const key = await keyOf(program, asOwner, { name: 'kept' });
  await ok(asOwner.patch(`/api/accounts/${bob.account.id}`, { password: 'account horse' }));
  const invited = await ok(asOwner.post(`/api/teams/${bob.id}/invitations`, { role: 'owner' }));
  const trap = await createTeam(program, mallory, `trap${bob.id}`);
  await join(program, trap, bob, 'owner');
  const inTrap = sessionOf(program, bob, trap.id);
  const elsewhere = await keyOf(program, inTrap, { name: 'elsewhere' });
  const toTrap = await ok(inTrap.post(`/api/teams/${trap.id}/invitations`, { role: 'member' }));
  return { bob, mallory, keys: [key.key, elsewhere.key, bob.key], invited, trap: trap.id, toTrap };
}
type Hijacked = Awaited<ReturnType<typeof prehijack>>;

const withKey = (program: At, key = '') => new HttpClient(program, { 'x-api-key': key });

/** Tries the account's password by SMTP. */
async function replyToPassword(program: At, { bob }: Hijacked): Promise<string> {
  const client = await connectFromNewHost(program.smtpPort);
  const reply = await client.command(authPlain(bob.address, 'account horse'));
  await client.command('QUIT');
  return reply;
}

/** Fails unless only `api`, the email address's true owner, is left in the personal team. */
async function expectAlone(program: At, found: Hijacked, api: HttpClient): Promise<void> {
  const { bob, mallory, keys, invited, trap, toTrap } = found;
  const members = await ok(api.get(`/api/teams/${bob.id}/members`));
  const emails = members.items.map(({ email }: { email: string }) => email);
  assert.deepEqual(emails, [bob.email]);
  assert.equal((await sessionOf(program, mallory, bob.id).get('/api/messages')).status, 404);
  for (const key of keys) assert.equal((await withKey(program, key).get('/api/messages')).status, 401);
  assert.match(await replyToPassword(program, found), /^535/);
  for (const { token } of [invited, toTrap]) {
    const again = await sessionOf(program, mallory).post('/api/invitations/accept', { token });
    assert.equal(again.status, 422, 'the invitation is gone');
  }
  const teams = await ok(api.get('/api/teams'));
  const ids = teams.items.map(({ id }: { id: number }) => id);
  assert.deepEqual(ids, [bob.id]);
  const inTrap = sessionOf(program, mallory, trap);
  assert.equal((await ok(inTrap.get(`/api/teams/${trap}/members`))).items.length, 1);
  assert.equal((await login(program, bob.email, bob.password)).status, 401);
  const log = await ok(api.get('/api/audit-log?limit=200'));
  const noted = log.items.map(
    ({ action, target }: { action: string; target: string }) => `${action} ${target}`,
  );
  for (const line of [
    `user.taken_over ${bob.email}`,
    `member.removed ${mallory.email}`,
    `member.removed ${bob.email} in trap${bob.id}`,
    'api_key.revoked kept',
    'api_key.revoked tests',
    `api_key.revoked elsewhere in trap${bob.id}`,
    `account.password_removed ${bob.address}`,
    `invitation.revoked ${invited.id}`,
    `invitation.revoked ${toTrap.id} in trap${bob.id}`,
  ])
    assert.ok(noted.includes(line), `${line} of ${noted.join('; ')}`);
  const there = await ok(inTrap.get('/api/audit-log'));
  const removed = there.items.filter(({ action }: { action: string }) => action === 'member.removed');
  const targets = removed.map(({ target }: { target: string }) => target);
  assert.deepEqual(targets, [bob.email]);
}

const person = ({ email }: User) => ({ sub: `sub-${email}`, email, email_verified: true });

async function signInAs(program: Program, user: User): Promise<HttpClient> {
  provider.account = person(user);
  const { browser, status, text } = await signInAt(program);
  assert.equal(status, 200, text);
  const cookie = `${sessionCookie}=${browser.cookie(program.baseUrl, sessionCookie)}`;
  return new HttpClient(program, { cookie });
}

test('who signs in with a verified e-mail finds no stranger in the personal team', async () => {
  const takeOver = async () => {
    const found = await prehijack(program);
    const { bob, mallory, keys } = found;
    const others = [sessionOf(program, mallory, bob.id), withKey(program, keys[0])];
    assert.match(await replyToPassword(program, found), /^235/);
    const { cursor } = await ok(withKey(program, bob.key).get('/api/messages'));
    const streams = await Promise.all(others.map((client) => EventReader.open(client)));
    const waits = others.map((client) => client.get(`/api/messages?wait=60&since=${cursor}`));
    const mine = await signInAs(program, bob);
    const over = performance.now();
    const answers = await Promise.all(waits);
    await Promise.all(streams.map(({ ended }) => ended));
    const ms = performance.now() - over;
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [404, 401]);
    await expectAlone(program, found, mine);
    assert.equal(
      (await ok(sessionOf(program, mallory).get('/api/teams'))).items.length,
      2,
      'her own teams stay',
    );
    return ms;
  };
  assert.ok((await shortest(endsWithinMs, takeOver)) < endsWithinMs, 'streams and waits end');
});

test('a shared team keeps its last owner, and a second sign-in changes nothing', async () => {
  const [bob, friend] = [await createUser(program), await createUser(program)];
  const team = await createTeam(program, bob, `own${bob.id}`);
  await join(program, team, friend, 'member');
  const first = await signInAs(program, bob);
  const mine = await ok(first.get('/api/teams'));
  assert.deepEqual(
    mine.items.map(({ id, role }: { id: number; role: string }) => `${id} ${role}`),
    [`${bob.id} owner`, `${team.id} owner`],
  );
  const { id, key } = await ok(first.post('/api/tokens', {}));
  await join(program, { id: bob.id, api: first }, friend, 'member');
  const again = await signInAs(program, bob);
  assert.equal((await ok(again.get(`/api/teams/${bob.id}/members`))).items.length, 2);
  assert.equal((await new HttpClient(program, { 'x-api-key': key }).get('/api/tokens')).json.items[0].id, id);
});

test('so does whom an administrator gives a password', async () => {
  // A command needs the embedded store for itself.
  const dataDir = onCluster ? program.dataDir : await temporaryDir();
  const within = <T>(work: (program: Program) => Promise<T>) =>
    onCluster ? work(program) : running(dataDir, work);
  const run = await commandsOn(dataDir);
  const found = await within(prehijack);
  assert.deepEqual(await run(`users password ${found.bob.email}`, 'battery staple'), done);
  await within(async (program) => {
    const entered = await login(program, found.bob.email, 'battery staple');
    assert.equal(entered.status, 200);
    const cookie = (entered.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    await expectAlone(program, found, new HttpClient(program, { cookie }));
  });
});

// The embedded store has one process, so no other can finish the work.
const onSeveral = onCluster ? test : () => {};
onSeveral('a sign-in begun at one process is finished at another, once', async (t: TestContext) => {
  const two = await startProcess('api', {
    ...provider.settings,
    ...(await storeSettings(program.dataDir)),
    SANDPOST_HTTP_PORT: '0',
  });
  t.after(() => two.stop());
  provider.account = { sub: 'ada', email: 'ada@corp.test', email_verified: true };
  const browser = new BrowserLike();
  const callback = await beginAt(program, browser);
  const kept = browser.cookie(callback, 'sandpost_oidc');
  const there = callback.replace(program.baseUrl, `http://127.0.0.1:${two.ports.http}`);
  assert.equal((await browser.open(there)).status, 200);
  assert.equal((await readAs(program, browser, '/api/auth/session')).email, 'ada@corp.test');
  const thief = new BrowserLike({ cookie: `sandpost_oidc=${kept}` });
  refused(await thief.open(callback), 403, /is already complete/, thief);
});
