import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket, requestBytes, statuses } from '#test/support/hostile/raw-request.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

const MiB = 1024 * 1024;
const size = 25 * MiB;
const { program, user: victim } = await scene({});
const hostile = await createUser(program);

/** Builds a body of at most `size` bytes that repeats `item` as often as fits. */
function filled(begin: string, item: string, end: string): Buffer {
  const body = Buffer.alloc(size, item);
  const items = size - begin.length - end.length;
  const whole = items - (items % Buffer.byteLength(item));
  return Buffer.concat([Buffer.from(begin), body.subarray(0, whole), Buffer.from(end)]);
}

async function send(body: Buffer, account = hostile.account.id): Promise<number | undefined> {
  const socket = await openSocket(program);
  socket.write(requestBytes(`/api/accounts/${account}/messages/send`, body, { 'X-API-KEY': hostile.key }));
  const [status] = await statuses(socket, 1);
  socket.destroy();
  return status;
}

/** Name of a hostile body, its bytes, and the expected status. */
const cases = (to: string): [string, () => Buffer, number][] => [
  ['lists as addresses', () => filled('{"to":[', '[],', '[]]}'), 400],
  ['texts as addresses', () => filled('{"to":[', '"a",', '"a"]}'), 400],
  ['a string as address', () => filled('{"to":"', 'a', '"}'), 422],
  ['a list of 9,000 as addresses', () => Buffer.from(`{"to":[${'[],'.repeat(9000)}[]]}`), 422],
  ['lists of 2,000 as addresses of each field', () => wide(['to', 'cc', 'bcc', 'replyTo']), 422],
  ['names', () => filled(`{"to":"${to}"`, ',"x":1', '}'), 400],
  ['nesting', () => filled('{"to":', '[', '}'), 400],
  ['nesting in objects', () => filled('{"to":', '{"a":', '}'), 400],
  ['digits', () => filled('{"to":', '9', '}'), 422],
  ['a subject of letters beyond ASCII', () => filled(`{"to":"${to}","subject":"`, 'é', '"}'), 422],
  ['a subject of ASCII', () => filled(`{"to":"${to}","subject":"`, 'a', '"}'), 422],
  ['a subject of escapes', () => filled(`{"to":"${to}","subject":"`, '\\u0001', '"}'), 422],
  ['a text of white space before line ends', () => filled(`{"to":"${to}","text":"`, ' \\n', '"}'), 422],
  ['a text of line ends', () => filled(`{"to":"${to}","text":"`, '\\n', '"}'), 422],
  ['a text of carriage returns', () => filled(`{"to":"${to}","text":"`, '\\r', '"}'), 422],
  ['a text of equals signs', () => filled(`{"to":"${to}","text":"A`, '=', '"}'), 422],
  ['a text and HTML of emoji', () => filled(`{"to":"${to}","text":"x","html":"`, '🎉', '"}'), 422],
  ['half a surrogate pair at the end', () => filled(`{"to":"${to}","text":"`, 'a', '\\ud800"}'), 400],
  ['no end', () => filled(`{"to":"${to}","text":"`, 'a', ''), 400],
];

const wide = (fields: string[]) =>
  Buffer.from(`{${fields.map((field) => `"${field}":[${'"a@b.test",'.repeat(2000)}"a@b.test"]`).join(',')}}`);

for (const [index, [name]] of cases('').entries()) {
  test(`nobody is harmed by ${name}`, async () => {
    const [, make, expected] = cases(hostile.address)[index] ?? assert.fail();
    const body = make();
    let status: number | undefined;
    const harm = await measureHarm(program, victim, async () => {
      status = await send(body);
    });
    assert.equal(status, expected);
    assertUnharmed(harm);
  });
}

test('an account that is not there is answered without its body being taken', async () => {
  const body = filled('{"to":[', '[],', '[]]}');
  const harm = await measureHarm(program, victim, async () => {
    assert.ok([404, undefined].includes(await send(body, 999_999_999)));
  });
  assertUnharmed(harm);
});

test('many large bodies of one user at a time take no more than its bound', async () => {
  const body = filled(`{"to":"${hostile.address}","text":"`, ' \\n', '"}');
  const harm = await measureHarm(program, victim, async () => {
    const found = await Promise.all([1, 2, 3, 4].map(() => send(body)));
    assert.ok(
      found.every((status) => status === 422 || status === 503),
      `${found}`,
    );
  });
  assertUnharmed(harm);
});
