import type { MessageContent } from '#core/messages/content.ts';

const fields = ['text', 'html', 'searchText'] as const;
/** Length from which a text is sent as bytes. It would be copied twice as a string, and take up to twice the room. */
const longCharacters = 1_048_576;

/** Long texts of a content as UTF-8, apart from it. */
export type LongTexts = Partial<Record<(typeof fields)[number], Uint8Array<ArrayBuffer>>>;

/** Takes the long texts out of a content that is about to be sent to another thread. */
export function detachTexts(content: MessageContent): LongTexts {
  const texts: LongTexts = {};
  for (const field of fields) {
    const text = content[field];
    if (typeof text !== 'string' || text.length < longCharacters) continue;
    texts[field] = new TextEncoder().encode(text);
    content[field] = '';
  }
  return texts;
}

/**
 * Puts long texts back into a content at the other end. `text` and `html` become strings again, which are short. `texts`
 * cannot be used afterwards.
 */
export function attachTexts(content: MessageContent, texts: LongTexts): MessageContent {
  if (texts.searchText !== undefined) content.searchText = texts.searchText;
  for (const field of ['text', 'html'] as const) {
    const bytes = texts[field];
    if (bytes === undefined) continue;
    content[field] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    // Free the bytes at once. The next garbage collection may be far off.
    bytes.buffer.transfer(0);
  }
  return content;
}
