import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Id } from '#core/ids.ts';
import { type Headers, HttpClient } from '#test/support/clients/http.ts';
import { account, domain, member } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const whole = { page: 1, limit: 100 };

suite('members of the team of a namespace', { skip: noKubernetes }, () => {
  const scene = operatorScene();
  let api: Process;
  before(async () => {
    api = await startProcess('api', scene.lab.settings);
  });
  after(() => api.kill());

  const client = (headers: Headers = {}) => {
    const httpPort = api.ports.http;
    return new HttpClient({ baseUrl: `http://127.0.0.1:${httpPort}`, httpPort }, headers);
  };
  const password = 'correct horse';

  /** Registers a user, and returns a function that creates the session's client in a team. */
  const register = async (email: string) => {
    const answer = await client().post('/api/auth/register', { email, password });
    assert.equal(answer.status, 200, answer.body.toString());
    const cookie = (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const id: Id = answer.json.id;
    const inTeam = (team: Id) => client({ cookie, 'x-team-id': String(team) });
    return { id, inTeam, own: client({ cookie }) };
  };
  /** Creates a namespace with a domain. Returns it with its team. */
  const newTeam = async (): Promise<{ qa: string; team: Id }> => {
    const qa = await scene.lab.newNamespace();
    await scene.lab.kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test`, mxVerified: true }),
      account(qa, 'a', { address: `qa@${qa}.test` }),
    );
    await scene.lab.kubectl.ready(qa, ['domain/d', 'account/a']);
    return { qa, team: await scene.lab.tenant(qa) };
  };
  /** Names of the domains that a call returns, or a refusal's status. */
  const domainsBy = async (caller: HttpClient): Promise<string[] | number> => {
    const { status, json } = await caller.get('/api/domains');
    return status === 200 ? json.items.map((item: { domain: string }) => item.domain) : status;
  };
  const notes = async (team: Id) => {
    const { items } = await scene.lab.store.rows.list('auditLog', { team }, whole);
    // Each process numbers its entries separately.
    const inOrder = items.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    return inOrder.map(({ actor, action, target }) => `${actor} ${action} ${target}`);
  };

  test('a Member tells which other one gives its user a higher role', async () => {
    const { kubectl } = scene.lab;
    const { qa } = await newTeam();
    const email = `ada@${qa}.example`;
    await register(email);
    await kubectl.apply(member(qa, 'boss', { email, role: 'owner' }));
    await conditionIs(kubectl, ['member', qa, 'boss'], { ...ready, message: `${email} has the role owner` });
    await kubectl.apply(member(qa, 'guest', { email, role: 'viewer' }));
    const message = `${email} has the role owner through the Member ${qa}/boss; this Member grants viewer`;
    const { status } = await conditionIs(kubectl, ['member', qa, 'guest'], { ...ready, message });
    assert.equal(status.role, 'viewer');
  });

  test('a user with the e-mail of a Member sees the domains, by its role, until it is deleted', async () => {
    const { kubectl } = scene.lab;
    const { qa, team } = await newTeam();
    const ada = await register(`ada@${qa}.example`);
    const adas = ada.inTeam(team);
    assert.equal(await domainsBy(adas), 404);
    await kubectl.apply(member(qa, 'ada', { email: `Ada@${qa}.example` }));
    const { status, metadata } = await conditionIs(kubectl, ['member', qa, 'ada'], {
      ...ready,
      reason: 'Joined',
    });
    assert.deepEqual(
      [status.userId, status.members, status.role, status.observedGeneration],
      [ada.id, 1, 'member', 1],
    );
    assert.deepEqual(metadata.finalizers, ['sandpost.dev/finalizer']);
    assert.deepEqual(await domainsBy(adas), [`${qa}.test`]);
    const teams = (await ada.own.get('/api/teams')).json.items;
    const found = teams.find(({ id }: { id: Id }) => id === team);
    assert.deepEqual([found?.name, found?.role], [`namespace/${qa}`, 'member']);
    const { key } = (await adas.post('/api/tokens', { name: 'job' })).json;
    assert.deepEqual(await domainsBy(client({ 'x-api-key': key })), [`${qa}.test`]);
    const shown = await kubectl.run('get', 'spmem', '-n', qa);
    assert.match(shown, /^NAME +EMAIL +GROUP +ROLE +READY +REASON +AGE/);
    assert.match(shown, new RegExp(`ada +Ada@${qa}\\.example +member +True +Joined`));

    await kubectl.apply(member(qa, 'ada', { email: `Ada@${qa}.example`, role: 'viewer' }));
    await until(async () => (await kubectl.get('member', qa, 'ada')).status.role === 'viewer', 60_000, 200);
    const refused = await adas.post('/api/accounts', { address: `new@${qa}.test` });
    assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden_role']);
    assert.deepEqual(await domainsBy(adas), [`${qa}.test`]);

    await kubectl.run('delete', '-n', qa, '--timeout=60s', 'member/ada');
    assert.equal(await domainsBy(adas), 404);
    assert.equal(await domainsBy(client({ 'x-api-key': key })), 401, 'the key of the member is revoked');
    assert.equal(await domainsBy(ada.own).then((names) => typeof names), 'object', 'the user stays');
    // Deleting the domain deletes its accounts, without separate audit log entries.
    for (const resource of ['account/a', 'domain/d'])
      await kubectl.run('delete', '-n', qa, '--timeout=60s', resource);
    assert.deepEqual(await notes(team), [
      `kubernetes member.joined ada@${qa}.example: member`,
      `ada@${qa}.example api_key.created job`,
      `kubernetes member.changed ada@${qa}.example: viewer`,
      `kubernetes member.removed ada@${qa}.example`,
      `kubernetes account.deleted qa@${qa}.test`,
      `kubernetes domain.deleted ${qa}.test`,
    ]);
  });

  test('a Member is ready before its user, who is a member from registration on', async () => {
    const { kubectl } = scene.lab;
    const { qa, team } = await newTeam();
    const email = `bob@${qa}.example`;
    await kubectl.apply(member(qa, 'bob', { email, role: 'owner' }));
    const { status } = await conditionIs(kubectl, ['member', qa, 'bob'], {
      ...ready,
      reason: 'NotRegistered',
    });
    assert.deepEqual([status.userId, status.members], [undefined, 0]);
    const stranger = await register(`stranger@${qa}.example`);
    assert.equal(await domainsBy(stranger.inTeam(team)), 404);
    const bob = await register(`BOB@${qa}.example`);
    assert.deepEqual(await domainsBy(bob.inTeam(team)), [`${qa}.test`]);
    const joined = await conditionIs(kubectl, ['member', qa, 'bob'], { ...ready, reason: 'Joined' }, 10_000);
    assert.equal(joined.status.userId, bob.id);

    const members = `/api/teams/${team}/members`;
    const [shown] = (await bob.own.get(members)).json.items;
    assert.deepEqual([shown.role, shown.managed_by], ['owner', `${qa}/bob`]);
    for (const answer of [
      await bob.own.patch(`${members}/${bob.id}`, { role: 'viewer' }),
      await bob.own.delete(`${members}/${bob.id}`),
    ]) {
      assert.equal(answer.status, 422);
      assert.match(answer.body.toString(), new RegExp(`Kubernetes resource ${qa}/bob`));
    }
  });

  test('a Member of a group admits those who were in it at their latest sign-in', async () => {
    const { kubectl, store } = scene.lab;
    const { qa, team } = await newTeam();
    const [ada, bob] = [await register(`a@${qa}.example`), await register(`b@${qa}.example`)];
    await store.users.setGroups(ada.id, [`devs-${qa}`, 'ops']);
    await kubectl.apply(member(qa, 'devs', { group: `devs-${qa}`, role: 'viewer' }));
    const { status } = await conditionIs(kubectl, ['member', qa, 'devs'], {
      ...ready,
      reason: 'GroupAdmitted',
    });
    assert.deepEqual([status.members, status.userId], [1, undefined]);
    assert.deepEqual(await domainsBy(ada.inTeam(team)), [`${qa}.test`]);
    assert.equal(await domainsBy(bob.inTeam(team)), 404);
    await store.users.setGroups(bob.id, [`devs-${qa}`]);
    const again = await client().post('/api/auth/login', { email: `b@${qa}.example`, password });
    assert.equal(again.status, 200);
    assert.deepEqual(await domainsBy(bob.inTeam(team)), [`${qa}.test`]);
    const count = async () => (await kubectl.get('member', qa, 'devs')).status.members;
    await until(async () => (await count()) === 2, 10_000, 200);
    await kubectl.run('delete', '-n', qa, '--timeout=60s', 'member/devs');
    assert.equal(await domainsBy(ada.inTeam(team)), 404);
    assert.equal(await domainsBy(bob.inTeam(team)), 404);
  });

  test('a key of an ApiKey may do what a member may', async () => {
    const { qa, team } = await newTeam();
    await scene.lab.kubectl.apply({
      ...{ apiVersion: 'sandpost.dev/v1alpha1', kind: 'ApiKey' },
      metadata: { namespace: qa, name: 'k' },
    });
    await conditionIs(scene.lab.kubectl, ['apikey', qa, 'k'], ready);
    const secret = await scene.lab.kubectl.get('secret', qa, 'k');
    const key = Buffer.from(secret.data.SANDPOST_API_KEY, 'base64').toString();
    const job = client({ 'x-api-key': key });
    const made = await job.post('/api/accounts', { address: `job@${qa}.test` });
    assert.equal(made.status, 200, made.body.toString());
    const [token] = (await job.get('/api/tokens')).json.items;
    assert.deepEqual([token.scope, token.created_by], ['full', null]);
    const refused = await job.post(`/api/teams/${team}/invitations`, { role: 'owner' });
    assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden_role']);
    await scene.lab.kubectl.run('delete', '-n', qa, '--timeout=60s', 'apikey/k');
    assert.deepEqual(await notes(team), ['kubernetes api_key.created k', 'kubernetes api_key.revoked k']);
  });

  test('an operator that could not finish a deletion finishes it at its next start', async () => {
    const { kubectl, store } = scene.lab;
    const { qa, team } = await newTeam();
    const email = `c@${qa}.example`;
    const cem = await register(email);
    await kubectl.apply(member(qa, 'cem', { email }));
    await conditionIs(kubectl, ['member', qa, 'cem'], { ...ready, reason: 'Joined' });
    await scene.operator.kill();
    await kubectl.run('delete', '-n', qa, '--wait=false', 'member/cem');
    // State after a kill between ending the rule and ending its membership.
    await store.memberRules.put({ source: `${qa}/cem`, team, email: null, group: null, role: null });
    assert.deepEqual(await domainsBy(cem.inTeam(team)), [`${qa}.test`]);
    await scene.startAgain();
    await until(async () => (await kubectl.get('member', qa, 'cem')) === null, 60_000, 200);
    assert.equal(await domainsBy(cem.inTeam(team)), 404);
    assert.equal(await store.memberRules.find(`${qa}/cem`), null);
  });
});
