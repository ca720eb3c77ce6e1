import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { HttpClient, type Json } from '#test/support/clients/http.ts';
import type { Program } from './program.ts';

/** Registered user with a key and a verified domain that has one account. */
export type User = {
  id: number;
  email: string;
  password: string;
  /** Session cookie as `sandpost_session=…`, to send as `cookie`. */
  cookie: string;
  key: string;
  tokenId: number;
  domain: { id: number; domain: string };
  account: { id: number; address: string };
  address: string;
  /** Mailboxes of the account, by path. */
  mailboxes: Record<string, number>;
  inbox: number;
  /** Client that uses the key. */
  api: HttpClient;
};

let clients = 0;
/** Returns a separate client's address, for a program that trusts this machine as a proxy. */
export function newClient(): string {
  clients += 1;
  return `198.18.${clients >> 8}.${clients & 255}`;
}

/** Registers a new user with what most tests need. */
export async function createUser(
  program: Pick<Program, 'baseUrl' | 'httpPort'>,
  {
    domain = `${randomBytes(6).toString('hex')}.test`,
    ...account
  }: { domain?: string; storage_limit?: number } = {},
): Promise<User> {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const password = 'correct horse';
  const visitor = new HttpClient(program, { 'x-forwarded-for': newClient() });
  const registered = await visitor.post('/api/auth/register', { email, password });
  assert.equal(registered.status, 200, registered.body.toString());
  const cookie = (registered.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const token = await visitor.post('/api/tokens', { name: 'tests' }, { headers: { cookie } });
  const { key }: { key: string } = token.json;
  const api = new HttpClient(program, { 'x-api-key': key });
  const made = await ok(api.post('/api/domains', { domain, mx_verified: true }));
  const address = `qa@${domain}`;
  const owned = await ok(api.post('/api/accounts', { address, ...account }));
  const mailboxes: Record<string, number> = Object.fromEntries(
    owned.mailboxes.map((mailbox: { path: string; id: number }) => [mailbox.path, mailbox.id]),
  );
  return {
    id: registered.json.id,
    email,
    password,
    cookie,
    key,
    tokenId: token.json.id,
    domain: made,
    account: owned,
    address,
    mailboxes,
    inbox: mailboxes.INBOX ?? 0,
    api,
  };
}

/** Adds accounts to the user's domain, so an email to all of them fills each. Returns their addresses. */
export async function addAccounts({ api, domain }: User, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, at) => `a${at}@${domain.domain}`);
  for (const address of addresses) await ok(api.post('/api/accounts', { address }));
  return addresses;
}

/** Returns the IDs of a list's items, in order. */
export const idsOf = ({ items }: Json): number[] => items.map(({ id }: { id: number }) => id);

/** Signs in by password. */
export function login(program: Pick<Program, 'baseUrl' | 'httpPort'>, email: string, password: string) {
  return new HttpClient(program).post('/api/auth/login', { email, password });
}

/** Returns a response's body. The response must be a success. */
export async function ok(answer: Promise<{ status: number; json: Json; body: Buffer }>): Promise<Json> {
  const { status, json, body } = await answer;
  assert.ok(status === 200 || status === 204, `${status}: ${body.subarray(0, 1000)}`);
  return json;
}
