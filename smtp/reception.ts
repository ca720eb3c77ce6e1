import type { Body, BodyWriter } from '#core/delivery/delivery.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import { receiveMail } from '#core/delivery/receive-mail.ts';
import { Overloaded, StoreFull } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { failed, MailLoop, MessageTooLarge, type Reply, refusedDelivery, stored } from './replies.ts';
import type { Shared, SmtpServices } from './shared.ts';
import type { Transaction } from './transaction.ts';

const pieceBytes = 256 * 1024;

/**
 * Receives one message's content. Keeps up to 1 MiB of the content in memory, or up to 256 KiB while all receptions together use
 * `heldBytesInAll`. Streams a larger message to the store in pieces of 256 KiB. After a failure, discards the content immediately and
 * only counts further bytes, and `finish` throws.
 */
export class Reception {
  sizeBytes = 0;
  readonly #shared: Pick<Shared, 'services' | 'limits' | 'held'>;
  #block: Buffer = Buffer.alloc(0);
  #length = 0;
  #counted = 0;
  #writer: BodyWriter | null = null;
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  #pace = { since: performance.now(), bytes: 0 };

  /** Error because of which the content is not kept, or null. */
  get failure(): Error | null {
    return this.#failure;
  }

  constructor(shared: Pick<Shared, 'services' | 'limits' | 'held'>) {
    this.#shared = shared;
  }

  /**
   * Accepts the next bytes, and may keep their buffer. Returns null, or a promise that settles when the store accepts more. The promise
   * never rejects.
   */
  write(content: Buffer): Promise<void> | null {
    this.sizeBytes += content.length;
    if (this.#failure) return null;
    if (this.sizeBytes > this.#shared.services.maxMessageBytes) {
      this.#fail(new MessageTooLarge());
      return null;
    }
    if (this.#writer === null && this.#fits(content.length)) {
      this.#append(content);
      return null;
    }
    this.#writing = this.#stream(content).catch((error: Error) => this.#fail(error));
    return this.#writing;
  }

  /** Checks whether fewer than `paceBytes` arrived in the last `paceMs`. The period restarts while the client `waits`. */
  isTooSlow(now: number, waits: boolean): boolean {
    const { paceMs, paceBytes } = this.#shared.limits;
    if (!waits && now - this.#pace.since < paceMs) return false;
    const isSlow = !waits && this.sizeBytes - this.#pace.bytes < paceBytes;
    this.#pace = { since: now, bytes: this.sizeBytes };
    return isSlow;
  }

  /** Returns the whole message. Throws MessageTooLarge, MailLoop, or the store's error. */
  async finish(): Promise<Body> {
    if (this.#failure) throw this.#failure;
    if (this.#writer === null) {
      const bytes = this.#block.subarray(0, this.#length);
      this.#checkHops(bytes);
      return { bytes };
    }
    if (this.#length > 0) await this.#writer.write(this.#block.subarray(0, this.#length));
    return this.#writer.finish();
  }

  /** Discards the message and its pieces in the store. Must not be called if the store may already have created a row for the message. */
  discard(): void {
    const writer = this.#writer;
    this.#failure ??= new Error('discarded');
    this.#writer = null;
    this.release();
    // If pieces cannot be discarded now, the store removes them a day later.
    if (writer) this.#writing.then(() => writer.discard()).catch(() => {});
  }

  /** Frees the memory. Must be the last method that is called. */
  release(): void {
    this.#shared.held.total -= this.#counted;
    this.#counted = 0;
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  #fits(more: number): boolean {
    const { held, limits } = this.#shared;
    const size = this.#length + more;
    return size <= pieceBytes || (size <= limits.heldBytes && held.total + more <= limits.heldBytesInAll);
  }

  /** Adds bytes to the block. Copies all chunks except the first, which is usually the whole message. */
  #append(content: Buffer): void {
    const size = this.#length + content.length;
    if (this.#length === 0) this.#block = content;
    else if (size > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#block.length, size));
      this.#block.copy(larger, 0, 0, this.#length);
      this.#block = larger;
    }
    if (this.#length > 0) content.copy(this.#block, this.#length);
    this.#length = size;
    this.#count(size);
  }

  async #stream(content: Buffer): Promise<void> {
    if (this.#writer === null) {
      const { limits, services } = this.#shared;
      const long = this.#length + content.length > limits.heldBytes;
      services.metrics.limitReached(long ? 'smtp.heldBytes' : 'smtp.heldBytesInAll');
      const held = this.#block.subarray(0, this.#length);
      this.#checkHops(held);
      this.#writer = this.#shared.services.deliveries.writeBody();
      this.#block = Buffer.allocUnsafeSlow(pieceBytes);
      this.#length = 0;
      await this.#cut(held);
      if (this.#writer) this.#count(pieceBytes);
    }
    await this.#cut(content);
  }

  async #cut(content: Buffer): Promise<void> {
    let rest = content;
    while (rest.length > 0 && this.#writer) {
      const part = rest.subarray(0, pieceBytes - this.#length);
      part.copy(this.#block, this.#length);
      this.#length += part.length;
      rest = rest.subarray(part.length);
      if (this.#length < pieceBytes) return;
      this.#length = 0;
      await this.#writer.write(this.#block);
    }
  }

  /**
   * Throws MailLoop if the first 256 KiB contain too many Received fields, before any bytes go to the store. A longer header has faults
   * other than a loop.
   */
  #checkHops(start: Buffer): void {
    const text = start.toString('latin1', 0, pieceBytes);
    const end = text.search(/\r?\n\r?\n/);
    const hops = text.slice(0, end === -1 ? undefined : end).match(/^received:/gim)?.length ?? 0;
    if (hops <= this.#shared.limits.hops) return;
    this.#shared.services.metrics.limitReached('smtp.hops');
    throw new MailLoop();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.discard();
  }

  #count(bytes: number): void {
    this.#shared.held.total += bytes - this.#counted;
    this.#counted = bytes;
  }
}

/**
 * Passes a completely transmitted email to the core, and maps the outcome to a reply. Does not log mail refused because an account or the
 * disk is full: `overflow` logs it once a minute. `cut`: a simulated failure has ended the connection. Never rejects.
 */
export async function takeMail(
  services: SmtpServices,
  mail: ArrivedMail,
  reception: Reception,
  transaction: Transaction,
): Promise<Reply | 'cut'> {
  const { sizeBytes } = reception;
  const started = performance.now();
  try {
    const judge = transaction.mayFail ? transaction.failures.judge : null;
    const verdict = await transaction.inRoom(mail, sizeBytes, (payer) =>
      receiveMail(services, { ...mail, payer }, reception, judge),
    );
    if ('refusal' in verdict) return verdict.refusal;
    if ('reason' in verdict) {
      const reply = refusedDelivery(verdict);
      return refuse(transaction, mail, sizeBytes, reply, verdict.reason !== 'no-room');
    }
    recordStored(services, mail, sizeBytes, verdict.ids, performance.now() - started);
    return stored(verdict.ids);
  } catch (error) {
    if (error instanceof StoreFull) {
      services.overflow.diskRefused();
      return refuse(transaction, mail, sizeBytes, failed(error), false);
    }
    const level = error instanceof Overloaded ? 'warn' : 'error';
    if (!(error instanceof MessageTooLarge || error instanceof MailLoop))
      services.log[level]({ err: error }, 'could not store an email');
    return refuse(transaction, mail, sizeBytes, failed(error));
  } finally {
    reception.release();
  }
}

/** Records an email that was not stored, and returns the reply to it. If `isLogged` is false, another part logs the email. */
function refuse(
  { refusals }: Pick<Transaction, 'refusals'>,
  mail: ArrivedMail,
  sizeBytes: number,
  reply: Reply,
  isLogged = true,
): Reply {
  refusals.mail(mail, sizeBytes, reply, isLogged);
  return reply;
}

/**
 * Counts and logs an email that was stored or that rules discarded. `ms`: time from the end of the email's transmission to its commit.
 */
function recordStored(
  { log, metrics }: Pick<SmtpServices, 'log' | 'metrics'>,
  { mailFrom, remoteAddress, recipients }: ArrivedMail,
  sizeBytes: number,
  ids: Id[],
  ms: number,
): void {
  metrics.deliverySeconds.observe(ms / 1000);
  metrics.messagesStored.inc(ids.length);
  metrics.bytesStored.inc(ids.length * sizeBytes);
  const rcptTo = recipients.map((recipient) => recipient.address);
  const fields = { ids, sizeBytes, mailFrom, rcptTo, remoteAddress, ms: Math.round(ms) };
  if (ids.length > 0) log.info({ event: 'mail.stored', ...fields }, 'stored an email');
  else log.info({ event: 'mail.discarded', ...fields }, 'rules discarded an email');
}
