import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { addManagedTeam, removeNamedTeam } from '#core/teams/manage-teams.ts';
import { addUser, disableUser, enableUser, givePassword, removeUser } from '#core/teams/manage-users.ts';
import { openAdminServices } from '#setup/admin-services.ts';
import { readConfig } from '#setup/config.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { commandsOn, done } from '#test/support/program/command.ts';
import { running, storeSettings, temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { createUser, login, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const cookieOf = ({ headers }: { headers: Record<string, string | undefined> }) =>
  (headers['set-cookie'] ?? '').split(';')[0] ?? '';

test('commands refuse wrong arguments in one line, and change nothing', async () => {
  const run = await commandsOn(await temporaryDir());
  const actions = 'users list, users add, users password, users disable, users enable, users remove';
  assert.deepEqual(await run('users add ada@team.test', 'correct horse\n'), done);
  const cases: [args: string, input: string | Buffer, code: number, said: RegExp][] = [
    ['users', '', 2, new RegExp(`use one of: ${actions};`)],
    ['users frob', '', 2, /use one of: users list/],
    ['users list all', '', 2, /unexpected argument "all"/],
    ['users add', '', 2, /the EMAIL is missing: sandpost users add EMAIL/],
    ['users add b@team.test more', '', 2, /unexpected argument "more"/],
    ['users add bob', 'correct horse', 2, /"bob" is not an email address/],
    [`users add ${'b'.repeat(60)}@${'d'.repeat(60)}.${'d.'.repeat(70)}test`, '', 2, /not an email/],
    ['users add Ada@Team.test', 'correct horse', 1, /ada@team\.test is already registered/],
    ['users add b@team.test', 'x'.repeat(1_000_000), 1, /standard input is too long/],
    ['teams', '', 2, /use one of: teams list, teams add, teams remove;/],
    ['teams remove QA', '', 1, /no managed or shared team is named QA/],
  ];
  for (const [args, input, code, said] of cases) {
    const result = await run(args, input);
    assert.match(result.err, said, args);
    assert.match(result.err, /^sandpost: .*\n$/, 'one line');
    assert.deepEqual([result.code, result.out], [code, ''], args);
  }
  assert.match((await run('users list')).out, /^\d+\tada@team\.test\tverified\tactive\t20\S+\n$/);
  assert.deepEqual(await run('teams list'), done);
});

test('actions refuse unknown users and teams, passwords of the wrong length, and names', async () => {
  const ports = await openAdminServices(readConfig({ SANDPOST_DATA_DIR: await temporaryDir() }));
  const all = { ...ports, log: { info: () => {}, error: () => {} } };
  await addUser(all, 'ada@team.test', 'correct horse');
  const email = 'b@team.test';
  const long = 'x'.repeat(257);
  for (const [work, said] of [
    [addUser(all, email, 'too short'), /must have 10 to 256 characters, not 9/],
    [addUser(all, email, long), /must have 10 to 256 characters, not 257/],
    [givePassword(all, 'ada@team.test', 'too short'), /must have 10 to 256 characters/],
    [givePassword(all, email, 'correct horse'), /no user has the email b@team\.test/],
    [disableUser(all, email), /no user has the email b@team\.test/],
    [enableUser(all, email), /no user has the email b@team\.test/],
    [removeUser(all, email), /no user has the email b@team\.test/],
    [addManagedTeam(all, 'namespace/qa'), /must not begin with namespace\//],
    [addManagedTeam(all, 'x'.repeat(101)), /must have 1 to 100 characters/],
    [addManagedTeam(all, 'a\u0007b'), /must not be blank or contain control characters/],
    [addManagedTeam(all, ' '), /must not be blank or contain control characters/],
    [removeNamedTeam(all, '1'), /is named 1; to remove a personal team, remove its user/],
  ] as const)
    await assert.rejects(work, said);
  await ports.close();
});

test('a user who was added signs in, and a new password ends their sessions', async () => {
  const dataDir = await temporaryDir();
  const run = await commandsOn(dataDir);
  await run('users add Ada@team.test', 'correct horse\r\n');
  const { cookie, key } = await running(dataDir, async (program) => {
    const entered = await login(program, 'ada@team.test', 'correct horse');
    assert.equal(entered.status, 200);
    const api = new HttpClient(program, { cookie: cookieOf(entered) });
    const made = await ok(api.post('/api/tokens', { name: 'ci' }));
    const log = await ok(api.get('/api/audit-log'));
    const first = log.items.at(-1);
    assert.deepEqual(
      [first.actor, first.action, first.target, first.remote_address],
      ['administrator', 'user.created', 'ada@team.test', null],
    );
    return { cookie: cookieOf(entered), key: made.key };
  });
  assert.deepEqual(await run('users password ada@team.test', 'battery staple\n'), done);
  await running(dataDir, async (program) => {
    const session = new HttpClient(program, { cookie });
    assert.equal((await session.get('/api/domains')).status, 401);
    assert.equal((await new HttpClient(program, { 'x-api-key': key }).get('/api/domains')).status, 200);
    assert.equal((await login(program, 'ada@team.test', 'correct horse')).status, 401);
    assert.equal((await login(program, 'ada@team.test', 'battery staple')).status, 200);
  });
  assert.deepEqual(await run('users disable ada@team.test'), done);
  assert.match((await run('users list')).out, /\tada@team\.test\tverified\tdisabled\t/);
  await running(dataDir, async (program) => {
    assert.equal((await login(program, 'ada@team.test', 'battery staple')).status, 401);
    assert.equal((await new HttpClient(program, { 'x-api-key': key }).get('/api/domains')).status, 401);
  });
  assert.deepEqual(await run('users enable ada@team.test'), done);
  await running(dataDir, async (program) => {
    const entered = await login(program, 'ada@team.test', 'battery staple');
    assert.equal(entered.status, 200);
    assert.equal((await new HttpClient(program, { 'x-api-key': key }).get('/api/domains')).status, 200);
    const log = await ok(new HttpClient(program, { cookie: cookieOf(entered) }).get('/api/audit-log'));
    const byAdministrator = log.items.filter((item: { actor: string }) => item.actor === 'administrator');
    const actions = byAdministrator.map((item: { action: string }) => item.action);
    assert.deepEqual(actions, ['user.enabled', 'user.disabled', 'password.changed', 'user.created']);
  });
});

test('the password of a user who registered is an administrator’s to change, who vouches for the e-mail', async () => {
  const dataDir = await temporaryDir();
  const run = await commandsOn(dataDir);
  const user = await running(dataDir, createUser);
  assert.match((await run('users list')).out, /\tunverified\tactive\t/);
  assert.deepEqual(await run(`users password ${user.email}`, 'battery staple'), done);
  assert.match((await run('users list')).out, /\tverified\tactive\t/);
});

test('teams are listed, added and removed with their mail', async () => {
  const dataDir = await temporaryDir();
  const run = await commandsOn(dataDir);
  assert.deepEqual(await run('teams add QA'), done);
  assert.match((await run('teams add QA')).err, /the managed team QA already exists/);
  const { user, teams } = await running(dataDir, async (program) => {
    const made = await createUser(program);
    const session = new HttpClient(program, { cookie: made.cookie });
    const ids: number[] = [];
    for (const name of ['Checkout', 'Checkout', 'Search'])
      ids.push((await ok(session.post('/api/teams', { name }))).id);
    const inTeam = { 'x-team-id': String(ids[2]), cookie: made.cookie };
    const api = new HttpClient(program, inTeam);
    await ok(api.post('/api/domains', { domain: 'search.test', mx_verified: true }));
    await ok(api.post('/api/accounts', { address: 'qa@search.test' }));
    await deliver(program, { to: 'qa@search.test' });
    return { user: made, teams: ids };
  });
  const lines = (await run('teams list')).out.trimEnd().split('\n');
  const rows = lines.map((line) => line.split('\t').slice(1));
  assert.deepEqual(rows, [
    ['QA', 'managed', '0', '0'],
    ['Checkout', 'shared', '1', '0'],
    ['Checkout', 'shared', '1', '0'],
    ['Search', 'shared', '1', '1'],
  ]);
  const several = await run('teams remove Checkout');
  assert.equal(several.code, 1);
  assert.match(
    several.err,
    new RegExp(`several teams are named Checkout: use an id instead \\(${teams[0]}, ${teams[1]}\\)\n$`),
  );
  assert.deepEqual(await run(`teams remove ${teams[1]}`), done);
  assert.deepEqual(await run('teams remove Search'), done);
  assert.deepEqual(await run('teams remove QA'), done);
  assert.match((await run('teams list')).out, new RegExp(`^${teams[0]}\tCheckout\tshared\t1\t0\n$`));
  const last = await run(`users remove ${user.email}`);
  assert.equal(last.code, 1);
  assert.match(
    last.err,
    new RegExp(`${user.email} is the last owner of the team "Checkout" \\(id ${teams[0]}\\)`),
  );
  await running(dataDir, async (program) => {
    const log = await ok(new HttpClient(program, { cookie: user.cookie }).get('/api/audit-log'));
    const removed = log.items.filter((item: { action: string }) => item.action === 'team.deleted');
    assert.deepEqual(
      removed.map(({ actor, target }: { actor: string; target: string }) => [actor, target]),
      [
        ['administrator', 'Search'],
        ['administrator', 'Checkout'],
      ],
    );
    const other = await createUser(program);
    await until(async () => (await other.api.post('/api/domains', { domain: 'search.test' })).status === 200);
    assert.deepEqual((await ok(other.api.get('/api/messages'))).items, []);
  });
});

test('a terminal is asked for the password and does not show it', async () => {
  const dataDir = await temporaryDir();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...(await storeSettings(dataDir)) };
  const onTerminal = async (command: string, password: string | null) => {
    const child = spawn('script', ['-qec', `bin/sandpost ${command}`, '/dev/null'], { env });
    let shown = '';
    let written = false;
    child.stdout.on('data', (piece) => {
      shown += piece;
      if (written || password === null || !shown.includes('Password for')) return;
      written = true;
      child.stdin.write(password);
    });
    const [code] = await once(child, 'close');
    return { code, shown };
  };
  const added = await onTerminal('users add ada@team.test', 'correct hosre\u007f\u007f\u007frse\r');
  assert.deepEqual(added, { code: 0, shown: 'Password for ada@team.test: \r\n' });
  const given = await onTerminal('users add bob@team.test', '\u0003');
  assert.equal(given.code, 1);
  assert.match(given.shown, /no password given/);
  const table = await onTerminal('users list', null);
  assert.match(
    table.shown,
    /^ID +EMAIL +VERIFIED +STATE +CREATED\r\n\d+ +ada@team\.test +verified +active +20/,
  );
  await running(dataDir, async (program) => {
    assert.equal((await login(program, 'ada@team.test', 'correct horse')).status, 200);
  });
});
