import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import type { Program } from '#test/support/program/program.ts';
import type { User } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Promises of the server: the sent email's SHA-256 for each message ID that a 250 named. */
export class Ledger {
  readonly promised = new Map<number, string>();
  /** Number of emails without a reply. Each may be stored or not. */
  unanswered = 0;
  /** Number of refused emails by reply. They are not stored, except perhaps after 451. */
  readonly refused = new Map<string, number>();
  /** Longest time in ms between two promises since `measurePause`. */
  longestPauseMs = 0;
  #lastAt = Number.NaN;

  /** Resolves when the server has made its next promise. */
  async next(): Promise<void> {
    const before = this.promised.size;
    await until(() => this.promised.size > before);
  }

  /** Starts measuring the longest pause again. */
  measurePause(): void {
    this.longestPauseMs = 0;
  }

  /**
   * Sends email after email over one connection until the server closes it or `signal` aborts. With a key, signs in, sends by BDAT, and
   * writes to a foreign address instead, which the account of `recipient` captures.
   */
  async send(
    program: Pick<Program, 'smtpPort'>,
    recipient: string,
    signal: AbortSignal,
    { sizeBytes = 2000, paceMs = 0, key = '' } = {},
  ): Promise<void> {
    const client = new SmtpClient(program.smtpPort);
    try {
      await client.greet();
      if (key !== '') await client.command(authPlain('apikey', key));
      while (!signal.aborted) {
        const filling = randomBytes(sizeBytes / 2)
          .toString('hex')
          .replace(/.{64}/g, '$&\r\n');
        const raw = Buffer.from(
          `From: load@example.com\r\nTo: ${recipient}\r\nSubject: load\r\n\r\n${filling}\r\n`,
        );
        const reply =
          key === ''
            ? await client.send('load@example.com', [recipient], raw)
            : await client.sendChunks('load@example.com', ['alice@gmail.com'], raw);
        if (reply.startsWith('250')) this.#promise(reply, raw);
        else if (!this.#refuse(reply)) break;
        if (paceMs > 0) await paced(paceMs);
      }
    } finally {
      client.destroy();
    }
  }

  #promise(response: string, raw: Buffer): void {
    const id = Number(/stored as (\d+)$/.exec(response)?.[1]);
    assert.ok(id, `a 250 without an id: ${response}`);
    assert.ok(!this.promised.has(id), `the id ${id} was given twice`);
    this.promised.set(id, sha256(raw));
    const now = performance.now();
    if (now - this.#lastAt > this.longestPauseMs) this.longestPauseMs = now - this.#lastAt;
    this.#lastAt = now;
  }

  /** Counts an email that was not accepted. Returns false if the server closes the connection (421) or it is gone. */
  #refuse(reply: string): boolean {
    if (reply === '') {
      this.unanswered += 1;
      return false;
    }
    const [, code = reply] = /^(\d{3} \d\.\d\.\d)/.exec(reply) ?? [];
    this.refused.set(code, (this.refused.get(code) ?? 0) + 1);
    return !reply.startsWith('421');
  }

  /**
   * Reads everything back and checks that each promised email is unchanged, counters equal sums, and the journal has no gap or duplicate.
   * Returns the number of emails.
   */
  async verify(program: Pick<Program, 'baseUrl'>, user: User): Promise<number> {
    const ask = async (path: string) => {
      const response = await fetch(program.baseUrl + path, { headers: { 'X-API-KEY': user.key } });
      assert.equal(response.status, 200, `${path}: ${response.status}`);
      return response;
    };
    const promised = this.promised.entries();
    const readAll = async () => {
      for (const [id, hash] of promised) {
        const raw = new Uint8Array(await (await ask(`/api/messages/${id}/raw`)).arrayBuffer());
        assert.equal(sha256(raw), hash, `message ${id} is not what was sent`);
      }
    };
    await Promise.all([readAll(), readAll(), readAll(), readAll()]);
    const stored = await this.#listAll(ask);
    const doubtful = this.unanswered + (this.refused.get('451 4.3.0') ?? 0);
    assert.ok(stored.length >= this.promised.size && stored.length <= this.promised.size + doubtful);
    const { items }: { items: StoredAccount[] } = JSON.parse(await (await ask('/api/accounts')).text());
    for (const account of items) {
      const own = stored.filter((message) => message.account_id === account.id);
      assert.equal(
        account.used_bytes,
        own.reduce((sum, message) => sum + message.size_bytes, 0),
        'used_bytes',
      );
      const inbox = account.mailboxes.find(({ path }) => path === 'INBOX');
      assert.deepEqual(
        [inbox?.totalMessages, inbox?.totalUnreadMessages],
        [own.length, own.length],
        'mailbox counts',
      );
    }
    await this.#verifyJournal(program, user, stored);
    return stored.length;
  }

  async #listAll(ask: (path: string) => Promise<Response>): Promise<StoredMessage[]> {
    const all: StoredMessage[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await ask(`/api/messages?limit=200&page=${page}`);
      const { items }: { items: StoredMessage[] } = JSON.parse(await answer.text());
      if (items.length === 0) return all;
      all.push(...items);
    }
  }

  /** Checks the journal from its start: numbers 1, 2, 3 …, and one `message.received` for each stored message. */
  async #verifyJournal(
    program: Pick<Program, 'baseUrl'>,
    user: User,
    stored: StoredMessage[],
  ): Promise<void> {
    const controller = new AbortController();
    const response = await fetch(`${program.baseUrl}/api/events?last_event_id=0`, {
      headers: { 'X-API-KEY': user.key },
      signal: controller.signal,
    });
    let text = '';
    const frames = () => [...text.matchAll(/id: (\d+)\nevent: new-message\ndata: (.*)\n\n/g)];
    const decoder = new TextDecoder();
    if (stored.length > 0) {
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (frames().length >= stored.length) break;
      }
    }
    controller.abort();
    assert.deepEqual(
      frames().map(([, number]) => Number(number)),
      stored.map((_, index) => index + 1),
    );
    const received = frames().map(([, , data = '']) => Number(JSON.parse(data).id));
    assert.deepEqual(received.sort(ascending), stored.map(({ id }) => id).sort(ascending));
  }
}

type StoredAccount = {
  id: number;
  used_bytes: number;
  mailboxes: { path: string; totalMessages: number; totalUnreadMessages: number }[];
};
type StoredMessage = { id: number; account_id: number; size_bytes: number };

const ascending = (a: number, b: number) => a - b;
