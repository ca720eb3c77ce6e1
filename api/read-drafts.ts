import type { Draft } from '#core/delivery/compose.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { mailpitSending } from './mailpit/sending.ts';
import { parseJson, parseObject } from './middleware/json-body.ts';
import { readForm } from './providers/form.ts';
import { providers } from './providers/index.ts';
import { JsonValue } from './providers/json-value.ts';
import type { Drafted } from './providers/provider.ts';
import { sendRequest } from './shapes/message-request.ts';

/** Send request without its body: from an address in Sandpost's own API, or by a provider's operation (its `operationId`). */
export type SendRequest =
  | { from: string }
  | { operation: string; contentType: string; params: Record<string, string> };

/**
 * Reads a send request's emails in the thread that composes them. The function and the generator that it returns throw Malformed and
 * Invalid.
 */
export async function readDrafts(
  bytes: Uint8Array<ArrayBuffer>,
  request: SendRequest,
): Promise<Iterable<Drafted>> {
  if ('from' in request) return [readDraft(bytes, request.from)];
  const { operation, contentType, params } = request;
  const found = [...providers, mailpitSending]
    .flatMap(({ operations }) => operations)
    .find(({ operationId }) => operationId === operation);
  if (found === undefined) throw new Error(`no provider has ${operation}`);
  const read =
    found.body === 'form'
      ? found.read(await readForm(bytes, contentType), params)
      : found.read(new JsonValue(parseJson(bytes)), params);
  return bounded(read);
}

/** Counts emails as they are composed, one after another, so the limit applies before all emails are read. */
function* bounded(drafts: Iterable<Drafted>): Generator<Drafted> {
  const most = limits.submissions.mails;
  let count = 0;
  for (const draft of drafts) {
    count += 1;
    if (count > most) throw invalid('body', `may have at most ${most} items`, 'submissions.mails');
    yield draft;
  }
}

/** Reads the body of a request to Sandpost's own API. */
function readDraft(bytes: Uint8Array, from: string): Draft {
  const { text = null, html = null, subject, ...addressees } = sendRequest.read(parseObject(bytes));
  const { to, cc, bcc, replyTo } = addressees;
  return {
    from: unnamed(from),
    to: to.map(unnamed),
    cc: cc.map(unnamed),
    bcc: bcc.map(unnamed),
    replyTo: replyTo.map(unnamed),
    subject,
    text,
    html,
    headers: [],
    attachments: [],
  };
}

function unnamed(address: string): NamedAddress {
  return { name: '', address };
}
