import { limits } from '#core/limits.ts';
import type { MessageContent } from './content.ts';

const { tags: most, tagCharacters } = limits.messages;

/**
 * Returns an email's tags: those in its `X-Tags` fields, separated by commas. Ignores invalid tags, and all beyond the maximum number.
 */
export function tagsOfHeaders(headers: MessageContent['headers']): string[] {
  const fields = headers.filter(({ name }) => name.toLowerCase() === 'x-tags');
  return distinctTags(fields.flatMap(({ value }) => value.split(',')).filter(isTag)).slice(0, most);
}

/** Trims tags, and omits a tag that differs from an earlier one only in case. */
export function distinctTags(tags: string[]): string[] {
  const first = new Map<string, string>();
  for (const tag of tags) {
    if (!first.has(tagKey(tag))) first.set(tagKey(tag), tag.trim());
  }
  return [...first.values()];
}

/** Checks whether a string is a tag: 1 to 40 characters, no commas or control characters. */
export function isTag(text: string): boolean {
  const tag = text.trim();
  return tag !== '' && [...tag].length <= tagCharacters && !/[\p{Cc},]/u.test(tag);
}

/** Returns the form in which tags are compared. */
export function tagKey(tag: string): string {
  return tag.trim().normalize('NFC').toLowerCase();
}
