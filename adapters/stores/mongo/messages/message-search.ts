import type { Filter, FindOptions } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { MessageRow, SearchFields, SearchPieceRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { FilterOf, MessageFilter } from '#core/messages/message-filter.ts';

/** Characters of a piece of a text that is too long for its message's row. Pieces overlap by the longest word. */
const pieceLength = 262_144;
const overlap = 200;

/** Cuts a text into pieces. Every substring of at most 200 characters stands whole in one of them. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    pieces.push(text.slice(start, start + pieceLength));
  }
  return pieces;
}

/** Puts together the text that `piecesOf` cut. */
export function joinPieces(pieces: string[]): string {
  return pieces.map((piece, index) => (index === 0 ? piece : piece.slice(overlap))).join('');
}

type TextFilter = FilterOf<'heads' | 'texts'>;

/** Fields of a row that each text filter looks in. */
const fields: Record<TextFilter, (keyof SearchFields)[]> = {
  subject: ['subject'],
  from: ['from'],
  to: ['to'],
  words: ['subject', 'text', 'from', 'to'],
};

/** Order of evaluation: cheap fields first. */
const textFilters: TextFilter[] = ['subject', 'from', 'to', 'words'];

/** Conditions that each text of a filter occurs in one of its fields. Long texts are looked up in their pieces first. */
export async function textConditions(
  { collections: { searchPieces } }: Context,
  owner: Id,
  filter: MessageFilter,
  options: FindOptions,
): Promise<Filter<MessageRow>[]> {
  const { accountId } = filter;
  const scope: Filter<SearchPieceRow> = accountId === undefined ? { owner } : { owner, accountId };
  const conditions: Filter<MessageRow>[] = [];
  for (const name of textFilters) {
    for (const text of [filter[name] ?? []].flat()) {
      const columns = fields[name].map((field) => `search.${field}`);
      const ways: Filter<MessageRow>[] = [contain(columns, text)];
      if (fields[name].includes('text')) {
        const inPieces = await searchPieces
          .find({ ...scope, ...contain(['text'], text) }, { ...options, projection: { messageId: 1 } })
          .map(({ messageId }) => messageId)
          .toArray();
        if (inPieces.length > 0) ways.push({ _id: { $in: inPieces } });
      }
      conditions.push(...(ways.length === 1 ? ways : [{ $or: ways }]));
    }
  }
  return conditions;
}

/**
 * Condition that one of the fields contains a text, byte by byte, since all are folded. A regular expression takes twice the
 * time. A field that is null contains nothing.
 */
function contain(names: string[], text: string): { $expr: object } {
  const within = (name: string) => ({ $gte: [{ $indexOfBytes: [`$${name}`, { $literal: text }] }, 0] });
  return { $expr: { $or: names.map(within) } };
}
