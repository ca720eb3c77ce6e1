import type { MessageSummary } from '#core/messages/message.ts';

/** Code and link of a message, as lists contain them. */
type Found = Pick<MessageSummary, 'code' | 'mainLink'>;

const most = { code: 64, link: 2048 };

/** Returns the messages' codes for a status, in order and without duplicates. */
export function codesOf(found: Found[]): string[] {
  const codes = found.flatMap(({ code }) => (code === null ? [] : [plain(code, most.code)]));
  return [...new Set(codes)];
}

/** Returns the link of the first message that has a link, for a status. Omits a link that would have to be changed or truncated. */
export function linkOf(found: Found[]): { link?: string } {
  const link = found.find(({ mainLink }) => mainLink !== null)?.mainLink ?? '';
  return link !== '' && plain(link, most.link) === link ? { link } : {};
}

/** Truncates text from an email, and replaces terminal control characters with spaces. */
export function plain(text: string, length: number): string {
  return text
    .slice(0, length)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
}
