import type { Filter, FindOptions } from 'mongodb';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { MessageRow, SearchPieceRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { MessageFilter } from '#core/messages/message.ts';

/** Longest piece of a text that is too long for its message's row, and how far pieces overlap: the longest word. */
const pieceLength = 262_144;
const overlap = 200;

/** A text in pieces: every substring of at most 200 characters stands whole in one of them. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    pieces.push(text.slice(start, start + pieceLength));
  }
  return pieces;
}

/** The text that `piecesOf` cut. */
export function joinPieces(pieces: string[]): string {
  return pieces.map((piece, index) => (index === 0 ? piece : piece.slice(overlap))).join('');
}

/** Whether a filter looks into texts, which takes reading every row of its scope. */
export function isSearch({ words, to, from, subject }: MessageFilter): boolean {
  return (words?.length ?? 0) > 0 || to !== undefined || from !== undefined || subject !== undefined;
}

/** The conditions of a filter's words and texts; messages with long texts are looked up first. */
export async function searchConditions(
  { collections: { searchPieces } }: Context,
  owner: Id,
  filter: MessageFilter,
  options: FindOptions,
): Promise<Filter<MessageRow>[]> {
  const { words = [], to, from, subject, accountId } = filter;
  const scope: Filter<SearchPieceRow> = accountId === undefined ? { owner } : { owner, accountId };
  const conditions: Filter<MessageRow>[] = [];
  if (subject !== undefined) conditions.push({ 'search.subject': containing(subject) });
  if (from !== undefined) conditions.push({ 'search.from': containing(from) });
  if (to !== undefined) conditions.push({ 'search.to': containing(to) });
  for (const word of words) {
    const found = containing(word);
    const inPieces = await searchPieces
      .find({ ...scope, text: found }, { ...options, projection: { messageId: 1 } })
      .map(({ messageId }) => messageId)
      .toArray();
    const fields = ['subject', 'text', 'from', 'to'].map((field) => ({ [`search.${field}`]: found }));
    conditions.push({ $or: inPieces.length === 0 ? fields : [...fields, { _id: { $in: inPieces } }] });
  }
  return conditions;
}

/** Both sides are folded: what is left is a plain substring. A pattern cannot hold NUL, but name it. */
function containing(text: string): { $regex: string } {
  return { $regex: text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00') };
}
