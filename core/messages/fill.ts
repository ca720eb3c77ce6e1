import type { Found } from './content.ts';
import { foundIn } from './mail-record.ts';
import type { Message } from './message.ts';
import { addressKey, recipientsOf } from './recipients.ts';
import { tagsOfHeaders } from './tags.ts';
import { keysOf, traitsOf, withKeys } from './traits.ts';

/** Content of a message, null for one that is gone. */
type Content = Omit<Message['content'], 'text' | 'html'> | null;

/** Returns the code and link of a message whose row was written before rows had them. */
export function foundFor(content: Content): Found {
  return content === null ? { code: null, mainLink: null } : foundIn(content);
}

/** Returns what a row lacks that was written before rows had traits. `tags` are null where it has none. */
export function fillFor(
  row: Pick<Message, 'copy' | 'deliveredTo' | 'envelope'> & { tags: string[] | null },
  content: Content,
  hasHtml: boolean,
): Found & { tags: string[]; keys: string[]; traits: number } {
  const tags = row.tags ?? tagsOfHeaders(content?.headers ?? []);
  const keys = keysOf(recipientsOf(row).map(addressKey), tags, content?.traceId ?? null);
  const traits = withKeys(content === null ? 0 : traitsOf(content, hasHtml), keys);
  return { ...foundFor(content), tags, keys, traits };
}
