import assert from 'node:assert/strict';
import { createApiKey } from '#core/access/api-keys.ts';
import type { MemberRule } from '#core/access/people.ts';
import { Invalid, invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { applyMemberRules, endMemberRule, putMemberRule, settleRule } from '#core/teams/member-rules.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const source = 'qa/ada';
const email = 'ada@app.test';
const now = () => new Date();

/** Rule use cases on a store, with a namespace's team. `reached` lists the limits that were reached. */
async function scene(store: Store) {
  const reached: string[] = [];
  const ports = {
    ...store,
    clock: now,
    log: { info: () => {}, warn: () => {}, error: (fields: object) => assert.fail(JSON.stringify(fields)) },
    metrics: { limitReached: (name: string) => void reached.push(name) },
  };
  const made = await store.teams.insert({
    ...{ name: 'namespace/qa', kind: 'managed', founder: null },
    createdAt: now(),
  });
  assert.ok(made);
  const team = made.id;
  const put = async (words: Partial<Omit<MemberRule, 'id' | 'members'>> = {}) => {
    const rule = { source, team, email, group: null, role: 'member', ...words } as const;
    await putMemberRule(ports, rule);
    await settleRule(ports, rule.source);
  };
  return {
    ...{ ports, team, reached, put },
    end: (name: MemberRule['source'] = source) => endMemberRule(ports, team, name),
    signIn: (id: Id, groups: string[] | null = null) => applyMemberRules(ports, { id }, groups),
    roleOf: (id: Id) => store.teams.roleOf(team, id),
    membersOf: async (name: MemberRule['source'] = source) =>
      (await store.memberRules.find(name))?.members ?? null,
    async notes() {
      const { items } = await store.rows.list('auditLog', { team }, wholePage);
      return items.map(({ actor, action, target }) => `${actor} ${action} ${target}`).reverse();
    },
  };
}

onEachStore('a rule makes a user a member, changes the role, and ends', async ({ store }) => {
  const { ports, team, put, end, roleOf, membersOf, notes } = await scene(store);
  const [ada, bob] = [await newUser(store, email), await newUser(store, 'bob@app.test')];
  await put();
  assert.deepEqual([await roleOf(ada), await roleOf(bob)], ['member', null]);
  assert.deepEqual(await membersOf(), [ada]);
  const [rule] = await store.rows.read('memberRules', {});
  const same = {
    id: rule?.id ?? 0,
    source,
    team,
    email,
    group: null,
    role: 'member',
    members: [ada],
  } as const;
  assert.deepEqual(await store.rows.read('memberRules', {}), [same]);
  const member = await store.rows.read('member', { team, user: ada });
  assert.deepEqual(member?.grants, [{ source, role: 'member' }]);
  await put();
  await put({ role: 'viewer' });
  assert.equal(await roleOf(ada), 'viewer');
  assert.equal((await store.memberRules.find(source))?.id, rule?.id, 'the id stays');
  const createdBy = await store.users.findById(ada);
  assert.ok(createdBy);
  const { key } = await createApiKey(ports, team, { name: 'k', createdBy });
  await end();
  await end();
  assert.equal(await roleOf(ada), null);
  assert.equal(await store.apiKeys.find(team, key.id), null, 'the keys of the member are revoked');
  assert.equal(await store.memberRules.find(source), null);
  assert.deepEqual(await store.rows.read('memberRules', {}), []);
  assert.deepEqual(await notes(), [
    `kubernetes member.joined ${email}: member`,
    `kubernetes member.changed ${email}: viewer`,
    `kubernetes member.removed ${email}`,
  ]);
});

onEachStore('a rule waits for a user with its e-mail', async ({ store, opened }) => {
  const { put, signIn, roleOf, membersOf, end } = await scene(store);
  await put();
  assert.deepEqual(await membersOf(), []);
  const ada = await newUser(store, email);
  assert.equal(await roleOf(ada), null);
  await signIn(ada);
  await signIn(ada);
  assert.equal(await roleOf(ada), 'member');
  assert.deepEqual(await membersOf(), [ada]);
  await store.users.remove(ada, new Date());
  assert.deepEqual(await membersOf(), []);
  const again = await newUser(store, email);
  await signIn(again);
  assert.equal(await roleOf(again), 'member');
  await end();
  await signIn(again);
  assert.equal(await roleOf(again), null);
  assert.deepEqual((await (await opened.reopen()).rows.read('memberRules', {})).length, 0);
});

onEachStore('a rule for a group follows the groups of the latest sign-in', async ({ store }) => {
  const { put, end, signIn, roleOf, membersOf, reached } = await scene(store);
  const group = { source: 'qa/devs', email: null, group: 'devs', role: 'viewer' } as const;
  const [ada, bob, eve] = [
    await newUser(store, email),
    await newUser(store, 'bob@app.test'),
    await newUser(store, 'devs'),
  ];
  await signIn(ada, ['devs', 'ops', 'devs', '']);
  await put(group);
  assert.equal(await roleOf(ada), 'viewer', 'a user who had signed in before');
  await signIn(bob, ['devs']);
  await signIn(eve, ['Devs', 'devs2']);
  assert.deepEqual([await roleOf(bob), await roleOf(eve)], ['viewer', null]);
  assert.deepEqual(await membersOf(group.source), [ada, bob]);
  await signIn(ada, null);
  assert.equal(await roleOf(ada), 'viewer', 'a sign-in without groups changes nothing');
  await put();
  assert.equal(await roleOf(ada), 'member', 'the highest role counts');
  await signIn(ada, ['ops']);
  assert.equal(await roleOf(ada), 'member', 'the rule for the e-mail stays');
  await end();
  await signIn(ada, []);
  assert.equal(await roleOf(ada), null);
  await end(group.source);
  assert.equal(await roleOf(bob), null);
  assert.deepEqual(reached, []);
  await signIn(
    bob,
    Array.from({ length: 501 }, (_, index) => `group ${index}`),
  );
  assert.deepEqual(reached, ['teams.groups']);
});

onEachStore('the end of a rule leaves the memberships of other sources', async ({ store }) => {
  const { team, put, end, roleOf, notes } = await scene(store);
  const ada = await newUser(store, email);
  await store.teams.grant(team, ada, { source: 'direct', role: 'viewer' }, { now: now() });
  await put({ role: 'owner' });
  await put({ source: 'qa/other' });
  assert.equal(await roleOf(ada), 'owner');
  await end();
  assert.equal(await roleOf(ada), 'member');
  await end('qa/other');
  assert.equal(await roleOf(ada), 'viewer');
  assert.deepEqual(await notes(), [
    `kubernetes member.changed ${email}: owner`,
    `kubernetes member.changed ${email}: member`,
    `kubernetes member.changed ${email}: viewer`,
  ]);
});

onEachStore('work that was broken off is found and repeated', async ({ store }) => {
  const { ports, team, put, end, roleOf, signIn } = await scene(store);
  const { memberRules } = store;
  const ada = await newUser(store, email);
  const rule = { source, team, email, group: null, role: 'member' } as const;
  const waiting = [{ team, user: ada, rule: source }];
  assert.equal(await memberRules.put(rule), true);
  for (const about of [{ source }, { user: ada }] as const) {
    assert.deepEqual(await memberRules.unsettled(about), waiting, 'a rule without its membership');
  }
  await signIn(ada);
  assert.equal(await roleOf(ada), 'member');
  assert.deepEqual(await memberRules.unsettled({ source }), []);
  await memberRules.put({ ...rule, email: 'bob@app.test' });
  for (const about of [{ source }, { user: ada }] as const) {
    assert.deepEqual(await memberRules.unsettled(about), waiting, 'a rule for somebody else');
  }
  await put();
  await memberRules.remove(team, source);
  assert.ok(await memberRules.find(source), 'a rule that has not ended stays');
  await memberRules.put({ ...rule, email: null, role: null });
  assert.deepEqual(await memberRules.unsettled({ source }), waiting, 'an ended rule');
  await memberRules.remove(team, source);
  assert.equal(await memberRules.find(source), null);
  for (const about of [{ source }, { user: ada }] as const) {
    assert.deepEqual(await memberRules.unsettled(about), waiting, 'a membership without its rule');
  }
  await end();
  assert.equal(await roleOf(ada), null);
  await settleRule(ports, source);
  assert.equal(await memberRules.settle({ team, user: ada, rule: source }, { now: now() }), null);
  assert.equal(await memberRules.settle({ team, user: 4711, rule: source }, { now: now() }), null);
});

onEachStore('sign-ins during the end of a rule leave no membership', async ({ store }) => {
  const { put, end, roleOf, signIn } = await scene(store);
  const group = { email: null, group: 'devs' };
  const users: Id[] = [];
  for (let index = 0; index < 6; index += 1) users.push(await newUser(store, `u${index}@app.test`));
  for (let round = 0; round < 3; round += 1) {
    await put(group);
    await Promise.all([...users.map((id) => signIn(id, ['devs'])), end(), ...users.map((id) => signIn(id))]);
    assert.deepEqual(await Promise.all(users.map(roleOf)), Array(6).fill(null));
  }
  await put(group);
  assert.deepEqual(await Promise.all(users.map(roleOf)), Array(6).fill('member'));
});

onEachStore('a user who registers while their rule is written is a member', async ({ store }) => {
  const { put, roleOf, signIn } = await scene(store);
  for (let round = 0; round < 5; round += 1) {
    const mine = `u${round}@app.test`;
    const register = async () => {
      const id = await newUser(store, mine);
      await signIn(id);
      return id;
    };
    const [id] = await Promise.all([register(), put({ source: `qa/u${round}`, email: mine })]);
    assert.equal(await roleOf(id), 'member');
  }
});

onEachStore('rules end with their team, and have a limit', async ({ store }) => {
  const { ports, team, put, signIn, reached } = await scene(store);
  const ada = await newUser(store, email);
  await put();
  const { memberRules, rows, teams } = store;
  const other = { source: 'qa/other', team, email: 'bob@app.test', group: null, role: 'member' } as const;
  await assert.rejects(memberRules.put(other, 1), Invalid);
  assert.equal(await memberRules.put({ ...other, source }, 1), true, 'a change of the one that there is');
  await put();
  const refuse = () => Promise.reject(invalid('role', 'is full', 'teams.members'));
  const full = { ...ports, rows: { ...store.rows, change: refuse } };
  await memberRules.put({ ...other, email });
  await applyMemberRules(full, { id: ada }, null);
  assert.deepEqual(reached, ['teams.members'], 'a full team does not stop a sign-in');
  await newUser(store, 'bob@app.test');
  await memberRules.put({ ...other, source: 'qa/bob' });
  const [bob] = await memberRules.unsettled({ source: 'qa/bob' });
  assert.ok(bob);
  await assert.rejects(memberRules.settle(bob, { now: now(), most: 1 }), Invalid);
  await teams.softDelete(team, now());
  assert.deepEqual(await store.rows.read('memberRules', {}), []);
  assert.equal(await memberRules.put(other), false);
  await signIn(ada);
  assert.equal((await rows.list('teamsOf', { user: ada }, wholePage)).total, 1, 'the personal team alone');
});
