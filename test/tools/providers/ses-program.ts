import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';

const v2Path = '/v2/email/outbound-emails';

/** ID of a message or request. */
export const sesId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type SesRequest = { path?: string; method?: string; type?: string; body?: string; key?: string };
export type Ses = Awaited<ReturnType<typeof startSes>>;

/** Starts the program, with functions that call its SES API without an SES client. */
export async function startSes() {
  const mail = await startMailProgram();
  const { api, domain, key: ownKey } = mail.user;
  await ok(api.post('/api/accounts', { address: `c@${domain.domain}`, is_capture: true }));
  const url = `${mail.program.baseUrl}/providers/ses`;

  const call = async (request: SesRequest) => {
    const { path = v2Path, method = 'POST', type = 'application/json', body, key = ownKey } = request;
    const credential = `${key}/20260101/eu-central-1/ses/aws4_request`;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': type,
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=00`,
      },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return {
    mail,
    url,
    call,
    /** Sends JSON to v2. */
    async v2(body: object, path = v2Path) {
      const answer = await call({ path, body: JSON.stringify(body) });
      return { ...answer, code: answer.headers.get('x-amzn-errortype'), json: JSON.parse(answer.body) };
    },
    /** Sends a form to the Query API. */
    v1(fields: Record<string, string>, path = '/') {
      const body = new URLSearchParams({ Version: '2010-12-01', ...fields }).toString();
      return call({ path, type: 'application/x-www-form-urlencoded; charset=utf-8', body });
    },
    /** Waits for the only message with a subject. */
    async arrived(subject: string) {
      const { items } = await ok(api.get(`/api/messages?subject=${encodeURIComponent(subject)}&wait=10`));
      assert.equal(items.length, 1, subject);
      return ok(api.get(`/api/messages/${items[0].id}`));
    },
  };
}

/** Returns a subject that no other message has. */
export const subjectOf = (name: string): string => `${name} ${randomBytes(6).toString('hex')}`;
