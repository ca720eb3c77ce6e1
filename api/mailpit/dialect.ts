import { type CatcherCall, catcherDialect, text } from '#api/catchers/route.ts';
import { parseObject } from '#api/middleware/json-body.ts';
import { JsonValue } from '#api/providers/json-value.ts';
import { NotFound } from '#core/errors.ts';

/** Mailpit's sentences for objects that do not exist. */
export const noMessage = 'Message not found';
export const noHtml = 'This message does not contain a HTML part';
const noPath = '404 page not found';

/** Mailpit: https://mailpit.axllent.org/docs/api-v1/. Mailpit's errors are text, except those for sending email. */
export const mailpit = catcherDialect(
  { name: 'mailpit', title: 'Mailpit', base: '/api/v1' },
  (status, sentence, path) => {
    if (path === '/send') return { status, body: { Error: sentence } };
    const known = status !== 404 || sentence === noMessage || sentence === noHtml;
    return text(status, known ? sentence : path.startsWith('/view/') ? noMessage : noPath);
  },
);

/** Refuses a request for an object that does not exist. Throws NotFound. */
export function missing(sentence = noPath): never {
  throw new NotFound(sentence);
}

/** Reads a body, which is optional if `optional` is set. Throws Malformed. */
export async function bodyOf(call: Pick<CatcherCall, 'receive'>, optional = false): Promise<JsonValue> {
  return call.receive(async (bytes) => {
    return new JsonValue(bytes.length === 0 && optional ? {} : parseObject(bytes));
  });
}

/** Returns a field by name, ignoring case, as in Go. */
export function field(value: JsonValue, name: string): JsonValue {
  const spelled = Object.keys(value.fields()).find((key) => key.toLowerCase() === name.toLowerCase());
  return value.get(spelled ?? name);
}

/** Returns the strings in a list. Throws Invalid. */
export const textsOf = (value: JsonValue, name: string) =>
  field(value, name)
    .list()
    .map((one) => one.text() ?? '');
