import type { MessageContent } from '#core/messages/content.ts';

const FIELDS = ['text', 'html', 'searchText'] as const;
const LONG = 1_048_576;

/** Long texts of a content as UTF-8, apart from it: as they are they would be copied, and take up to twice the room. */
export type LongTexts = Partial<Record<(typeof FIELDS)[number], Uint8Array<ArrayBuffer>>>;

/** Takes the long texts out of a content that is about to be sent to another thread. */
export function detachTexts(content: MessageContent): LongTexts {
  const texts: LongTexts = {};
  for (const field of FIELDS) {
    const text = content[field];
    if (text === null || text.length < LONG) continue;
    texts[field] = new TextEncoder().encode(text);
    content[field] = '';
  }
  return texts;
}

/** Puts them back at the other end; `texts` are used up. */
export function attachTexts(content: MessageContent, texts: LongTexts): MessageContent {
  for (const field of FIELDS) {
    const bytes = texts[field];
    if (bytes === undefined) continue;
    content[field] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    // Frees the bytes at once, where a collection may be a long time coming.
    bytes.buffer.transfer(0);
  }
  return content;
}
