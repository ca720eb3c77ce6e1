import assert from 'node:assert/strict';
import { HttpClient, type Json } from '#test/support/clients/http.ts';
import type { Program } from '#test/support/program/program.ts';
import type { World } from './world.ts';

/** Program responses by path: everything that its users can read. */
export type Picture = Record<string, Json>;

/** Reads everything that a world's user can read, with raw bytes and the events. */
export async function pictureOf(program: Program, { key, cookie, team }: World): Promise<Picture> {
  const own = new HttpClient(program, { 'x-api-key': key });
  const shared = new HttpClient(program, { cookie, 'x-team-id': String(team) });
  const picture: Picture = {};
  const look = async (api: HttpClient, path: string, as = path): Promise<Json> => {
    const { status, json, body } = await api.get(path);
    assert.equal(status, 200, `${path}: ${body}`);
    picture[as] = json ?? body.toString('base64');
    return json;
  };
  for (const path of ['/api/domains', '/api/tokens', '/api/teams']) await look(own, path);
  for (const account of (await look(own, '/api/accounts')).items) {
    for (const { id } of account.mailboxes)
      await look(own, `/api/accounts/${account.id}/mailboxes/${id}/messages`);
  }
  const { items, cursor } = await look(own, '/api/messages?limit=200');
  for (const { id } of items) {
    await look(own, `/api/messages/${id}`);
    await look(own, `/api/messages/${id}/raw`);
  }
  for (const part of ['members', 'invitations']) await look(shared, `/api/teams/${team}/${part}`);
  for (const part of ['audit-log', 'domains', 'accounts', 'messages']) {
    await look(shared, `/api/${part}`, `team: ${part}`);
  }
  picture.events = await eventsOf(own, cursor);
  return picture;
}

/** Reads the events up to the number `last`, one frame each. */
async function eventsOf(api: HttpClient, last: number): Promise<string[]> {
  const types = 'message.received,message.deleted,message.updated';
  const stream = await api.open('GET', `/api/events?last_event_id=0&types=${types}`);
  let text = '';
  for await (const piece of stream.setEncoding('utf8')) {
    text += piece;
    if (text.split('\n\n').some((frame, index, all) => index < all.length - 1 && idOf(frame) >= last)) break;
  }
  stream.destroy();
  return text.split('\n\n').filter((frame) => idOf(frame) > 0 && idOf(frame) <= last);
}

const idOf = (frame: string) => Number(/^id: (\d+)$/m.exec(frame)?.[1] ?? 0);

/** Fields that reading itself changes. */
const changing = ['last_used_at'];
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;

/**
 * Checks that a response contains everything that an earlier one did. It may have more fields. Times are the earlier ones, or later by
 * `shiftMs`, the age that a fixture pretends not to have.
 */
export function assertContains(answer: Json, earlier: Json, shiftMs: number, place: string): void {
  if (typeof earlier === 'string' && instant.test(earlier)) {
    const shifted = Date.parse(earlier) + shiftMs;
    assert.ok(answer === earlier || Date.parse(answer) === shifted, `${place}: ${answer} was ${earlier}`);
  } else if (typeof earlier !== 'object' || earlier === null) {
    assert.deepEqual(answer, earlier, place);
  } else {
    if (Array.isArray(earlier)) assert.equal(answer.length, earlier.length, place);
    for (const [name, value] of Object.entries(earlier)) {
      if (!changing.includes(name)) assertContains(answer?.[name], value, shiftMs, `${place}.${name}`);
    }
  }
}
