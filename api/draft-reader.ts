import type { Draft } from '#core/delivery/compose.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { parseObject } from './middleware/json-object.ts';
import { sendRequest } from './shapes/message-request.ts';

/** Reads the body of a request to send from an address. Throws Malformed and Invalid. */
export function readDrafts(bytes: Uint8Array, { from }: { from: string }): Draft[] {
  const { text = null, html = null, subject, ...addressees } = sendRequest.read(parseObject(bytes));
  const { to, cc, bcc, replyTo } = addressees;
  return [
    {
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
    },
  ];
}

function unnamed(address: string): NamedAddress {
  return { name: '', address };
}
