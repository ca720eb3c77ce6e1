import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { type MailPlace, MailRoom } from './mail-room.ts';

const KiB = 1024;
const { roomBytes } = limits.mail;
const { heldBytes } = limits.smtp;

/** Room in which teams with the same last digit have one payer, and a function that enters emails and lists those inside. */
function roomOf() {
  const room = new MailRoom({ of: async (team) => team % 10 });
  const inside: string[] = [];
  const enter = async (name: string, teams: number[], bytes: number): Promise<MailPlace> => {
    const place = await room.placeOf(teams, bytes);
    void place.enter().then(() => inside.push(name));
    await new Promise(setImmediate);
    return place;
  };
  return { inside, enter };
}

test('the teams of a payer have half of the room, and further mails wait in their order', async () => {
  const { inside, enter } = roomOf();
  const places: MailPlace[] = [];
  const most = roomBytes / 2 / (512 * KiB);
  for (let at = 0; at < most + 2; at += 1) places.push(await enter(`${at}`, [1 + 10 * at], 512 * KiB));
  assert.equal(inside.length, most);
  await enter('small', [1], 1);
  assert.equal(inside.length, most, 'a small mail stays behind those before it');
  places[0]?.leave();
  await new Promise(setImmediate);
  assert.deepEqual(inside.slice(most), [`${most}`]);
});

test('a payer has room for a mail, however many others fill it, and for small ones beside it', async () => {
  const { inside, enter } = roomOf();
  for (let payer = 0; payer < 9; payer += 1)
    for (let at = 0; at < 20; at += 1) await enter('hostile', [payer], heldBytes);
  inside.length = 0;
  for (const name of ['a', 'b', 'c']) await enter(name, [9], 4 * KiB);
  const { leave } = await enter('a large one', [9], 20 * heldBytes);
  assert.deepEqual(inside, ['a', 'b', 'c']);
  leave();
});

test('a mail to several payers takes the room of the one who has the fewest bytes', async () => {
  const { inside, enter } = roomOf();
  for (let at = 0; at < 20; at += 1) await enter('hostile', [1], heldBytes);
  inside.length = 0;
  const { payer } = await enter('shared', [1, 12], heldBytes);
  assert.deepEqual([payer, inside], [2, ['shared']]);
});
