import { after, before } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { type MailProgram, startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';
import type { Access } from './suite.ts';

/** Response from a provider's path. `json` is null if the body is empty. */
export type Answered = { status: number; headers: Headers; json: Json };

/** Requests to a provider without its client, for what no client sends. */
export type Direct = {
  /** Returns what a client needs. */
  access(): Access;
  /** Returns a client of the API with the user's key. */
  api(): HttpClient;
  /** Posts a value as JSON, or text as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  call(method: string, path: string, init?: RequestInit): Promise<Answered>;
  /** Returns all messages with this text in their subject, ordered by recipient. */
  arrived(subject: string): Promise<Json[]>;
  /** Counts the user's messages. */
  count(): Promise<number>;
};

/** Starts the program before a file's tests, with a capture account. */
export function startDirect(provider: string): Direct {
  let mail: MailProgram;
  before(async () => {
    mail = await startMailProgram();
    const address = `inbox@${mail.user.domain.domain}`;
    await ok(mail.user.api.post('/api/accounts', { address, is_capture: true }));
  });
  after(() => mail?.stop());

  const access = () => ({ url: `${mail.program.baseUrl}/providers/${provider}`, key: mail.user.key });
  const call: Direct['call'] = async (method, path, init = {}) => {
    const response = await fetch(`${access().url}${path}`, { ...init, method });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      json: text === '' ? null : JSON.parse(text),
    };
  };
  return {
    access,
    api: () => mail.user.api,
    call,
    post: (path, body, headers = {}) =>
      call('POST', path, {
        headers: { authorization: `Bearer ${mail.user.key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async arrived(subject) {
      const query = `subject=${encodeURIComponent(subject)}&limit=100`;
      const { items } = await ok(mail.user.api.get(`/api/messages?${query}`));
      const messages: Json[] = await Promise.all(
        items.map(({ id }: { id: number }) => ok(mail.user.api.get(`/api/messages/${id}`))),
      );
      const recipients = ({ envelope }: Json) => envelope.rcpt_to.join();
      return messages.sort((a, b) => recipients(a).localeCompare(recipients(b)));
    },
    async count() {
      const { items } = await ok(mail.user.api.get('/api/messages?limit=100'));
      return items.length;
    },
  };
}
