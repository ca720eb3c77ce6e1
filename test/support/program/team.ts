import assert from 'node:assert/strict';
import { HttpClient } from '#test/support/clients/http.ts';
import type { Program } from './program.ts';
import { ok, type User } from './user.ts';

type Served = Pick<Program, 'baseUrl' | 'httpPort'>;

/** Shared team with a domain and an account. The clients use its owner's session and name the team. */
export type SharedTeam = {
  id: number;
  name: string;
  domain: { id: number; domain: string };
  account: { id: number };
  address: string;
  /** Mailboxes of the account, by path. */
  mailboxes: Record<string, number>;
  inbox: number;
  api: HttpClient;
};

/** Returns a client that uses a user's session, in a team if one is given. */
export function sessionOf(program: Served, { cookie }: Pick<User, 'cookie'>, team?: number): HttpClient {
  const named: Record<string, string> = team === undefined ? {} : { 'x-team-id': String(team) };
  return new HttpClient(program, { cookie, ...named });
}

/** Creates a team for `founder`. Its domain contains the team's name and the founder's ID, which keeps files apart. */
export async function createTeam(program: Served, founder: User, name: string): Promise<SharedTeam> {
  const { id } = await ok(sessionOf(program, founder).post('/api/teams', { name }));
  const api = sessionOf(program, founder, id);
  const label = `${name}-${founder.id}`;
  const domain = await ok(api.post('/api/domains', { domain: `${label}.test`, mx_verified: true }));
  const address = `qa@${domain.domain}`;
  const account = await ok(api.post('/api/accounts', { address }));
  const mailboxes: Record<string, number> = Object.fromEntries(
    account.mailboxes.map((mailbox: { path: string; id: number }) => [mailbox.path, mailbox.id]),
  );
  return { id, name, domain, account, address, mailboxes, inbox: mailboxes.INBOX ?? 0, api };
}

/** Invites a user, who accepts. */
export async function join(
  program: Served,
  { id, api }: Pick<SharedTeam, 'id' | 'api'>,
  user: Pick<User, 'cookie'>,
  role: 'owner' | 'member' | 'viewer',
): Promise<void> {
  const { token } = await ok(api.post(`/api/teams/${id}/invitations`, { role }));
  const joined = await ok(sessionOf(program, user).post('/api/invitations/accept', { token }));
  assert.equal(joined.id, id);
}

/** Returns a client with a new key, which the user of `maker` creates. */
export async function keyOf(
  program: Served,
  maker: HttpClient,
  words: { scope?: 'full' | 'read' | 'send'; expires_at?: string; name?: string } = {},
): Promise<{ api: HttpClient; key: string; id: number }> {
  const { key, id } = await ok(maker.post('/api/tokens', words));
  return { api: new HttpClient(program, { 'x-api-key': key }), key, id };
}
