import type { Draft } from '#core/delivery/compose.ts';
import { parseObject } from './middleware/json-object.ts';
import { sendRequest } from './shapes/message-request.ts';

/** Reads the body of a request to send. Throws Malformed and Invalid. */
export function readDraft(bytes: Uint8Array): Draft {
  const { text = null, html = null, ...draft } = sendRequest.read(parseObject(bytes));
  return { ...draft, text, html };
}
