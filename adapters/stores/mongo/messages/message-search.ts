import type { Collection, Filter, FindOptions } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { MessageRow, SearchPieceRow } from '#adapters/stores/mongo/schema/rows.ts';
import { needlesOf } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { fields, type Query, type Term, termsOf } from '#core/messages/query.ts';

/** Maximum characters of a piece, if text is too long for its message's row, and characters that two pieces share. */
const pieceLength = 262_144;
const overlap = 200;

/** Splits text into pieces. Each substring of at most 200 characters is completely in at least one of the pieces. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + overlap < text.length; start += pieceLength - overlap) {
    pieces.push(text.slice(start, start + pieceLength));
  }
  return pieces;
}

export function joinPieces(pieces: string[]): string {
  return pieces.map((piece, index) => (index === 0 ? piece : piece.slice(overlap))).join('');
}

const fieldOf = { subject: 'subject', sender: 'from', recipients: 'to', text: 'text' } as const;

export function textCondition(term: Term, inPieces: Map<Term, Id[]>): Filter<MessageRow> | null {
  const { texts } = fields[term.field];
  if (texts === undefined || !('part' in term) || term.part === null) return null;
  const columns = texts.map((name) => `search.${fieldOf[name]}`);
  const found = contain(columns, needlesOf(term.part, term.typed));
  const pieces = inPieces.get(term) ?? [];
  return pieces.length === 0 ? found : { $or: [found, { _id: { $in: pieces } }] };
}

/** Finds the messages that match a query and whose text is in pieces, because it is too long for a row. */
export async function lookUpPieces(
  { collections: { searchPieces } }: Context,
  owner: Id,
  { accountId, query = { all: [] } }: MessageFilter,
  options: FindOptions,
): Promise<Map<Term, Id[]>> {
  const scope: Filter<SearchPieceRow> = accountId === undefined ? { owner } : { owner, accountId };
  const found = new Map<Term, Id[]>();
  for (const { term } of termsOf(query)) {
    if (!fields[term.field].texts?.includes('text') || !('part' in term) || term.part === null) continue;
    const needles = needlesOf(term.part, term.typed);
    const rows = await searchPieces
      .find({ ...scope, ...inOnePiece(needles) }, { ...options, projection: { messageId: 1 } })
      .map(({ messageId }) => messageId)
      .toArray();
    const isWhole = needles.every((needle) => needle.length <= overlap);
    found.set(term, isWhole ? rows : await havingWhole(searchPieces, rows, needles, options));
  }
  return found;
}

/** Filters out messages whose pieces match but whose complete text does not. */
async function havingWhole(
  searchPieces: Collection<SearchPieceRow>,
  messages: Id[],
  needles: string[],
  options: FindOptions,
): Promise<Id[]> {
  const found: Id[] = [];
  for (const messageId of new Set(messages)) {
    const pieces = await searchPieces.find({ messageId }, options).sort({ _id: 1 }).toArray();
    const text = joinPieces(pieces.map((piece) => piece.text));
    if (needles.some((needle) => text.includes(needle))) found.push(messageId);
  }
  return found;
}

/** Condition on a piece. If a string is longer than the overlap of two pieces, searches for its start. */
const inOnePiece = (needles: string[]) =>
  contain(
    ['text'],
    needles.map((needle) => needle.slice(0, overlap)),
  );

/**
 * Condition that one of the fields contains one of the strings, byte by byte, since all are case-folded. A regular expression takes twice
 * as long. A null field contains nothing.
 */
function contain(names: string[], needles: string[]): { $expr: object } {
  const within = (name: string, needle: string) => ({
    $gte: [{ $indexOfBytes: [`$${name}`, { $literal: needle }] }, 0],
  });
  return { $expr: { $or: names.flatMap((name) => needles.map((needle) => within(name, needle))) } };
}

export const distinctTerms = (query: Query): Term[] => [...new Set(termsOf(query).map(({ term }) => term))];
