import assert from 'node:assert/strict';
import { Ledger } from '#test/long/faults/ledger.ts';
import { StreamClient } from '#test/support/clients/stream-client.ts';
import type { Pod } from '#test/support/program/pod.ts';
import type { User } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';

type Terms = { connections: number; paceMs: number; streams: number };

/**
 * Endless mail for one user, over connections to the SMTP processes that are up. Broken connections are reopened. Meanwhile, clients
 * follow the user's events from one API process after another.
 */
export class ClusterLoad implements AsyncDisposable {
  readonly ledger = new Ledger();
  readonly streams: StreamClient[];
  readonly #stopping = new AbortController();
  readonly #senders: Promise<void>[];
  readonly #failures: unknown[] = [];

  /** Sends to the user's address over each connection, and to each of `others` over one more. */
  constructor(
    { api, smtp }: { api: Pod[]; smtp: Pod[] },
    user: User,
    { connections, paceMs, streams }: Terms,
    others: string[] = [],
  ) {
    this.streams = Array.from({ length: streams }, (_, index) => new StreamClient(api, user.key, index));
    const recipients = [...Array.from({ length: connections }, () => user.address), ...others];
    this.#senders = recipients.map((recipient, index) =>
      this.#send(smtp, index, recipient, paceMs).catch((error) => void this.#failures.push(error)),
    );
  }

  /** Resolves when `count` more emails have been answered with 250. Throws as soon as a sender has failed. */
  async more(count: number): Promise<void> {
    const wanted = this.ledger.promised.size + count;
    await until(() => {
      this.#throwFailures();
      return this.ledger.promised.size >= wanted;
    });
  }

  /** Stops sending. Resolves when emails in transit have their replies. */
  async stop(): Promise<void> {
    await this.#end();
    this.#throwFailures();
  }

  /** Ends senders and streams, even after failures. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#end(), ...this.streams.map((stream) => stream.stop())]);
  }

  /** Verifies the ledger, and that each stream received each event once and in order. Returns a line of figures. */
  async verify(pod: Pod, user: User): Promise<string> {
    const stored = await this.ledger.verify(pod, user);
    await until(() => this.streams.every(({ last }) => last >= stored));
    await Promise.all(this.streams.map((stream) => stream.stop()));
    for (const { faults, messageIds } of this.streams) {
      assert.deepEqual(faults, []);
      assert.equal(messageIds.length, stored);
      assert.deepEqual(messageIds, this.streams[0]?.messageIds);
    }
    const { promised, unanswered, refused, longestPauseMs } = this.ledger;
    const connections = this.streams.reduce((sum, stream) => sum + stream.connections, 0);
    return [
      `${promised.size} mails answered with 250, all there`,
      `${unanswered} without an answer`,
      ...[...refused].map(([code, count]) => `${count} refused with ${code}`),
      `longest pause ${Math.round(longestPauseMs)} ms`,
      `${this.streams.length} streams made ${connections} connections and saw each of ${stored} events once`,
    ].join(', ');
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#senders);
  }

  #throwFailures(): void {
    if (this.#failures.length > 0) throw new AggregateError(this.#failures, 'a sender failed');
  }

  async #send(smtp: Pod[], first: number, recipient: string, paceMs: number): Promise<void> {
    const { signal } = this.#stopping;
    for (let turn = first; !signal.aborted; turn += 1) {
      const pod = smtp[turn % smtp.length];
      if (pod?.isUp) await this.ledger.send(pod, recipient, signal, { paceMs });
      await paced(5);
    }
  }
}
