import type { HttpClient } from '#test/support/clients/http.ts';
import { Contract } from '#test/support/clients/openapi.ts';
import type { Program } from './program.ts';
import { deliverOne } from './program-mail.ts';
import { createTeam, keyOf, type SharedTeam, sessionOf } from './team.ts';
import { ok, type User } from './user.ts';

/** Team with one object of each kind. `ids` are the objects', by path parameter name. */
export type World = SharedTeam & { ids: Record<string, number> };
type Permission = 'read' | 'send' | 'write' | 'manage' | 'self';
/** Caller of an operation. `code` is the code of a refusal. */
export type Caller = { name: string; client: HttpClient; isKey: boolean; may: Permission[]; code: string };
export type Place = { method: string; path: string; operationId: string };

/** Creates a team with secrets: all its texts contain its name. */
export async function createWorld(program: Program, founder: User, name: string): Promise<World> {
  const team = await createTeam(program, founder, name);
  const attachments = [{ filename: `${name}.txt`, content: name }];
  const message = await deliverOne(program, { to: team.address, subject: `secret of ${name}`, attachments });
  const mailbox = await ok(
    team.api.post(`/api/accounts/${team.account.id}/mailboxes`, { path: `of ${name}` }),
  );
  const { id: token } = await keyOf(program, team.api, { name: `key of ${name}` });
  const invited = await ok(
    team.api.post(`/api/teams/${team.id}/invitations`, { role: 'viewer', email: `x@${name}.test` }),
  );
  const { id: search } = await ok(team.api.post('/api/searches', { name: `search of ${name}`, q: name }));
  const { id: rule } = await ok(team.api.post('/api/rules', { name: `rule of ${name}`, q: name }));
  const { id: failure } = await ok(
    team.api.post('/api/failures', { match: { address: `fails@${name}.test` } }),
  );
  const { id: share } = await ok(team.api.post('/api/shares', { message_id: message }));
  const ids = {
    team_id: team.id,
    user_id: founder.id,
    invitation_id: invited.id,
    domain_id: team.domain.id,
    account_id: team.account.id,
    mailbox_id: mailbox.id,
    message_id: message,
    attachment_id: 1,
    token_id: token,
    search_id: search,
    rule_id: rule,
    failure_id: failure,
    share_id: share,
  };
  return { ...team, ids };
}

/** Returns callers with each role in a team, and keys of each scope that its members created. */
export async function callersOf(
  program: Program,
  people: Record<'owner' | 'member' | 'viewer', User>,
  team: World,
): Promise<Caller[]> {
  const session = (role: 'owner' | 'member' | 'viewer') => sessionOf(program, people[role]);
  const inTeam = (role: 'owner' | 'member') => sessionOf(program, people[role], team.id);
  const key = async (scope: 'full' | 'read' | 'send', role: 'owner' | 'member' = 'owner') =>
    (await keyOf(program, inTeam(role), { scope })).api;
  const all: Permission[] = ['read', 'send', 'write', 'manage', 'self'];
  const some: Permission[] = ['read', 'send', 'write', 'self'];
  const role = { isKey: false, code: 'forbidden_role' };
  const scope = { isKey: true, code: 'insufficient_scope' };
  return [
    { name: 'owner', client: session('owner'), may: all, ...role },
    { name: 'member', client: session('member'), may: some, ...role },
    { name: 'viewer', client: session('viewer'), may: ['read', 'self'], ...role },
    { name: 'key of an owner', client: await key('full'), may: all, ...scope },
    {
      name: 'key of a member',
      client: await key('full', 'member'),
      may: some,
      ...scope,
      code: 'forbidden_role',
    },
    { name: 'read key', client: await key('read'), may: ['read'], ...scope },
    { name: 'send key', client: await key('send'), may: ['send'], ...scope },
  ];
}

/** Returns all operations that need a credential. */
export async function placesOf(program: Program): Promise<Place[]> {
  const { document } = await Contract.of(program);
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => path.startsWith('/api/') && security?.length !== 0)
      .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
  );
}

const special: Record<string, Permission> = {
  ...Object.fromEntries(
    ['updateTeam', 'deleteTeam', 'updateMember', 'deleteMember', 'createInvitation', 'moveDomain'].map(
      (id) => [id, 'manage'],
    ),
  ),
  listInvitations: 'manage',
  deleteInvitation: 'manage',
  listAuditLog: 'manage',
  createTeam: 'self',
  changePassword: 'self',
  acceptInvitation: 'self',
  sendMessage: 'send',
  authenticateMessage: 'read',
  assertMail: 'read',
  compareMails: 'read',
};
/** Returns what an operation does. An operation that is not listed here reads if it is a GET, and otherwise writes. */
export const permissionOf = ({ method, operationId }: Place): Permission =>
  special[operationId] ?? (method === 'GET' ? 'read' : 'write');

/** Bodies that change a team's objects, for operations that accept one. */
export const bodyFor = ({ operationId }: Place, team: World): object | undefined =>
  ({
    createDomain: { domain: 'new.test' },
    updateDomain: { is_active: false },
    moveDomain: { team_id: team.id },
    createAccount: { address: `new@${team.domain.domain}` },
    updateAccount: { is_active: false },
    createMailbox: { path: 'Mine' },
    updateMailbox: { path: 'Mine' },
    authenticateMessage: { client_ip: '192.0.2.1' },
    updateMessage: { is_read: true },
    replaceMessage: { is_read: true },
    moveMessage: { mailbox_id: team.inbox },
    sendMessage: { to: team.address },
    createRule: { name: 'Mine', q: 'x' },
    updateRule: { q: 'x' },
    createFailure: { times: 1 },
    updateFailure: { is_active: false },
    createSearch: { name: 'Mine', q: 'x' },
    updateSearch: { q: 'x' },
    createToken: { name: 'mine' },
    createTeam: { name: 'mine' },
    updateTeam: { name: 'mine' },
    updateMember: { role: 'viewer' },
    createInvitation: { role: 'viewer' },
    acceptInvitation: { token: 'x'.repeat(43) },
    changePassword: { current_password: 'wrong horse', new_password: 'another horse' },
  })[operationId];
