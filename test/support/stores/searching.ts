import type { MessageFilter } from '#core/messages/message-filter.ts';
import type { PartField, Query } from '#core/messages/query.ts';

type Parts = { words?: string[]; to?: string; from?: string; subject?: string };

/** Builds a filter for folded texts, by the field to search. */
export function searching({ words = [], ...parts }: Parts): Pick<MessageFilter, 'query'> {
  const term = (field: PartField, part: string): Query => ({ field, part, typed: part });
  const fields = Object.entries(parts).map(([field, part]) => term(field as keyof typeof parts, part));
  const all = [...fields, ...words.map((word) => term('text', word))];
  return all.length === 0 ? {} : { query: { all } };
}
