import type { IncomingHttpHeaders } from 'node:http';
import { limits } from '#core/limits.ts';
import { providers } from './index.ts';

/** Header fields, in lower case, that carry a provider's credential or accompany one. */
const secretFields = [
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-amz-security-token',
  'x-api-key',
  'x-postmark-account-token',
  ...providers.flatMap(({ key }) => (key.in === 'header' ? [key.name] : [])),
];

/** Minimum characters of a key that counts as secret: in `sandpost dev`, a key may be a word such as `test`. */
const leastSecret = 16;

const mark = '[key]';

/** Returns a pattern for a character: plain, percent-encoded (possibly repeatedly) or escaped in JSON. `hex`: the character's code. */
const written = (plain: string, hex: string) => `(?:${plain}|(?:%(?:25)*|\\\\u00)(?:${hex}))`;
const start = written('s', '73') + written('p', '70') + written('_', '5[fF]');
const letter = written('[\\w-]', '2[dD]|3\\d|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]');

/** Pattern for Sandpost API keys, whoever owns them. */
const keys = new RegExp(`${start}${letter}{43}`, 'g');
/** Pattern for the beginning of a key at the end of truncated text. */
const cutKey = new RegExp(`${start}${letter}{0,42}(?:%[0-9a-fA-F]?|\\\\[u0-9a-fA-F]{0,4})?$`);
/** Pattern for base64 that is long enough to contain a key. */
const base64 = /[\w+/-]{60,}={0,2}/g;

type Request = { path: string; headers: IncomingHttpHeaders; body: Uint8Array };

/**
 * Returns the beginning of a request as received: its line, its header fields and its body. Removes `ownKey`, with which the request was
 * sent, and any Sandpost key.
 */
export function requestText({ path, headers, body }: Request, ownKey: string | null): string {
  const line = `POST ${path.startsWith('/') ? path : `/${path}`}`;
  const head = [line, ...headerLines(headers)].join('\n');
  const shown = Buffer.from(body.subarray(0, limits.submissions.shownBytes)).toString();
  const whole = `${withoutEncodedKeys(head)}\n\n${shown}`.replace(keys, mark);
  const text = body.length > limits.submissions.shownBytes ? whole.replace(cutKey, '') : whole;
  return ownKey === null || ownKey.length < leastSecret ? text : withoutKey(text, ownKey);
}

/** Replaces a key in text, and the beginning of a key that is truncated at the end of the text. */
function withoutKey(text: string, key: string): string {
  const whole = text.replaceAll(key, mark);
  for (let length = key.length - 1; length >= leastSecret / 2; length -= 1) {
    if (whole.endsWith(key.slice(0, length))) return whole.slice(0, -length);
  }
  return whole;
}

/** Replaces base64 that contains a key, such as Basic authentication credentials. */
function withoutEncodedKeys(head: string): string {
  return head.replace(base64, (text) => {
    const decoded = Buffer.from(text, 'base64').toString('latin1');
    return decoded.search(keys) === -1 ? text : mark;
  });
}

function headerLines(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    secretFields.includes(name) || value === undefined ? [] : [`${name}: ${[value].flat().join(', ')}`],
  );
}
