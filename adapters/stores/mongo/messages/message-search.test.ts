import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinPieces, piecesOf } from './message-search.ts';

test('every word of at most 200 characters stands whole in one piece', () => {
  const pieceLength = 262_144;
  for (const length of [0, 1, 200, pieceLength - 1, pieceLength, pieceLength + 1, 3 * pieceLength + 17]) {
    const text = Array.from({ length: Math.ceil(length / 8) }, (_, i) => String(i).padStart(8, '.')).join('');
    const cut = text.slice(0, length);
    const pieces = piecesOf(cut);
    assert.equal(joinPieces(pieces), cut);
    assert.ok(pieces.every((piece) => piece.length <= pieceLength));
    for (let at = 0; at + 200 <= length; at += 97) {
      const word = cut.slice(at, at + 200);
      assert.ok(
        pieces.some((piece) => piece.includes(word)),
        `${length} characters, at ${at}`,
      );
    }
    assert.ok(pieces.some((piece) => piece.endsWith(cut.slice(-200))));
  }
});
