import assert from 'node:assert/strict';
import type { Json } from '#test/support/clients/http.ts';
import { type Ask, type MailpitAnswer, mailpitClient } from '#test/support/clients/mailpit.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import type { Mail } from './mails.ts';

/** Point where a Mailpit and Sandpost answer differently. `mail` is absent if the request names none. */
export type Difference = {
  request: string;
  mail: Mail | undefined;
  field: string;
  theirs: unknown;
  ours: unknown;
};

type Ports = { http: number; smtp: number };
/** Options for a request. With `counts`, compares only the number of messages. */
type Options = { json?: unknown; mail?: Mail; counts?: boolean };

/** Compared server, with its message IDs by email name. */
class Side {
  readonly ask: Ask;
  readonly ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #smtpPort: number;

  constructor({ http, smtp }: Ports) {
    this.ask = mailpitClient({ baseUrl: `http://127.0.0.1:${http}`, httpPort: http });
    this.#smtpPort = smtp;
  }

  /** Sends emails over one connection, in order, and finds their IDs. */
  async send(mails: Mail[]): Promise<void> {
    const client = await SmtpClient.open(this.#smtpPort);
    for (const { name, from, to, raw } of mails) {
      const reply = await client.send(from, to, raw);
      const [, id] = /^250 .* as (\w+)$/.exec(reply) ?? assert.fail(`${name}: ${reply}`);
      if (id !== undefined) this.#know(name, id);
    }
    await client.quit();
  }

  #know(name: string, id: string): void {
    this.ids.set(name, id);
    this.#names.set(id, name);
  }

  /** Replaces email names, such as `<plain>`, with IDs. */
  fill(text: string): string {
    return text.replace(/<([^<>"]+)>/g, (whole, name) => this.ids.get(name) ?? whole);
  }

  /** Replaces IDs with names. A Mailpit does not always order emails that arrived in the same millisecond. */
  read(value: unknown, name = ''): unknown {
    if (name === 'messages' && Array.isArray(value)) return value.map((item) => this.read(item)).sort(byId);
    if (Array.isArray(value)) return value.map((item) => this.read(item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.read(item, key)]));
    if (name === 'Created' && isTime(value)) return 'a time';
    return name === 'ID' ? (this.#names.get(String(value)) ?? 'new') : value;
  }
}

/** Mailpit and Sandpost as a pair that receives the same emails and requests. */
export class Pair {
  readonly differences: Difference[] = [];
  readonly #theirs: Side;
  readonly #ours: Side;

  constructor(theirs: Ports, ours: Ports) {
    this.#theirs = new Side(theirs);
    this.#ours = new Side(ours);
  }

  async send(mails: Mail[]): Promise<void> {
    await Promise.all([this.#theirs.send(mails), this.#ours.send(mails)]);
    const [{ name = '' } = {}] = mails;
    this.note('ids', undefined, { ID: this.#theirs.ids.get(name) }, { ID: this.#ours.ids.get(name) });
  }

  /** Sends a request to both, records where their responses differ, and returns the responses. */
  async ask(
    method: string,
    path: string,
    { json, mail, counts = false }: Options = {},
  ): Promise<[theirs: MailpitAnswer, ours: MailpitAnswer]> {
    const answerOf = (side: Side) => {
      const body = json === undefined ? {} : { json: JSON.parse(side.fill(JSON.stringify(json))) };
      return side.ask(method, side.fill(path), body);
    };
    const [theirs, ours] = await Promise.all([answerOf(this.#theirs), answerOf(this.#ours)]);
    const request = `${method} ${path}${json === undefined ? '' : ` ${JSON.stringify(json)}`}`;
    this.note(
      request,
      mail,
      this.#theirs.read(compared(theirs, counts)),
      this.#ours.read(compared(ours, counts)),
    );
    return [theirs, ours];
  }

  /** Records differences in what a search finds. */
  async search(query: string): Promise<void> {
    const path = `/api/v1/search?limit=1000&query=${encodeURIComponent(query)}`;
    const foundBy = async (side: Side) => {
      const { status, json } = await side.ask('GET', path);
      if (status !== 200) return { found: status };
      const { messages, messages_count: all, messages_unread: unread } = json;
      return { found: messages.map(({ ID: id }: Json) => side.read(id, 'ID')).sort(), all, unread };
    };
    const [theirs, ours] = await Promise.all([foundBy(this.#theirs), foundBy(this.#ours)]);
    this.note(`search ${query}`, undefined, theirs, ours);
  }

  /** Reads the state after a change. */
  async list(): Promise<void> {
    await this.ask('GET', '/api/v1/messages?limit=1000');
  }

  note(request: string, mail: Mail | undefined, theirs: unknown, ours: unknown): void {
    for (const one of differencesOf(theirs, ours)) this.differences.push({ request, mail, ...one });
  }
}

const isTime = (value: unknown) => /^\d{4}-\d\d-\d\dT[\d:]{8}(?:\.\d{1,3})?Z$/.test(String(value));

const compared = ({ status, type, headers, json, text }: MailpitAnswer, counts: boolean) => ({
  ...{ status, type, place: headers.location },
  body: bySlug(counts ? { ...json, messages: json.messages.length } : json) ?? text,
});

const byId = (a: Json, b: Json) => (a.ID < b.ID ? -1 : 1);

/** Names the HTML warnings, which have no inherent order. */
const bySlug = (body: Json) =>
  Array.isArray(body?.Warnings)
    ? { ...body, Warnings: Object.fromEntries(body.Warnings.map((one: Json) => [one.Slug, one])) }
    : body;

/** Lists where two values differ, by field names such as `From.Name`. Places in lists have no number: `Tags[]`. */
export function differencesOf(
  theirs: unknown,
  ours: unknown,
  field = '',
): Pick<Difference, 'field' | 'theirs' | 'ours'>[] {
  if (isObject(theirs) && isObject(ours) && Array.isArray(theirs) === Array.isArray(ours)) {
    const names = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...names].flatMap((name) => {
      const inner = Array.isArray(ours) ? `${field}[]` : field === '' ? name : `${field}.${name}`;
      return differencesOf(theirs[name], ours[name], inner);
    });
  }
  return theirs === ours ? [] : [{ field, theirs, ours }];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
