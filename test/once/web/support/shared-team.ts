import { randomBytes } from 'node:crypto';
import { HttpClient } from '#test/support/clients/http.ts';
import type { Program } from '#test/support/program/program.ts';
import { ok, type User } from '#test/support/program/user.ts';

type Role = 'owner' | 'member' | 'viewer';

/** Team of several users with a verified domain that has one account. */
export type SharedTeam = {
  id: number;
  name: string;
  address: string;
  account: number;
  inbox: number;
  /** Client for the owner's session in the team. */
  api: HttpClient;
  /** Returns a new invitation's address. */
  invite(role: Role, email?: string): Promise<string>;
  /** Adds a user as a member. */
  join(user: User, role: Role): Promise<void>;
};

/** Creates a team with what most tests need. */
export async function createSharedTeam(
  program: Pick<Program, 'baseUrl' | 'httpPort'>,
  owner: User,
  name = 'Checkout',
): Promise<SharedTeam> {
  const { id } = await ok(new HttpClient(program, { cookie: owner.cookie }).post('/api/teams', { name }));
  const api = new HttpClient(program, { cookie: owner.cookie, 'x-team-id': String(id) });
  const domain = `${randomBytes(6).toString('hex')}.test`;
  await ok(api.post('/api/domains', { domain, mx_verified: true }));
  const address = `qa@${domain}`;
  const account = await ok(api.post('/api/accounts', { address }));
  const inbox = account.mailboxes.find(({ path }: { path: string }) => path === 'INBOX').id;
  const invite = async (role: Role, email?: string): Promise<string> =>
    (await ok(api.post(`/api/teams/${id}/invitations`, { role, ...(email ? { email } : {}) }))).url;
  const join = async (user: User, role: Role) => {
    const token = (await invite(role)).split('/').at(-1);
    await ok(new HttpClient(program, { cookie: user.cookie }).post('/api/invitations/accept', { token }));
  };
  return { id, name, address, account: account.id, inbox, api, invite, join };
}
