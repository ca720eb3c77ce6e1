import type { Body, BodyWriter } from '#core/delivery/delivery.ts';
import type { LimitName, limits } from '#core/limits.ts';

const pieceBytes = 256 * 1024;

/** The message is larger than is taken. */
export class MessageTooLarge extends Error {
  override name = 'MessageTooLarge';
}

/** The message has passed through too many hosts (RFC 5321 section 6.3). */
export class MailLoop extends Error {
  override name = 'MailLoop';
}

/** Bytes of messages that all receptions hold in memory. */
export type HeldBytes = { total: number };

type Options = {
  openBody: () => BodyWriter;
  maxBytes: number;
  limits: Bounds;
  held: HeldBytes;
  limitReached: (name: LimitName) => void;
};

type Bounds = Pick<typeof limits.smtp, 'hops' | 'heldBytes' | 'heldBytesInAll'>;

/**
 * Takes the content of one message: up to 1 MiB in memory, a larger one in pieces of 256 KiB to the store. Once it
 * fails, what it had is thrown away at once, the rest is only counted, and `finish` throws.
 */
export class Reception {
  sizeBytes = 0;
  readonly #options: Options;
  #block: Buffer = Buffer.alloc(0);
  #length = 0;
  #counted = 0;
  #writer: BodyWriter | null = null;
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Takes the next bytes, which it may keep; the promise says when the store has room for more. It never rejects. */
  write(content: Buffer): Promise<void> | null {
    this.sizeBytes += content.length;
    if (this.#failure) return null;
    if (this.sizeBytes > this.#options.maxBytes) {
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

  /** The whole message. Throws MessageTooLarge, MailLoop, or what the store threw. */
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

  /** Throws away what went to the store. Not for a message of which the store may have made a row. */
  discard(): void {
    const writer = this.#writer;
    this.#failure ??= new Error('discarded');
    this.#writer = null;
    this.release();
    // What cannot be thrown away now is swept by the store a day later.
    if (writer) this.#writing.then(() => writer.discard()).catch(() => {});
  }

  /** Gives back the memory: the last call to each reception. */
  release(): void {
    this.#options.held.total -= this.#counted;
    this.#counted = 0;
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  #fits(more: number): boolean {
    const { held, limits } = this.#options;
    const size = this.#length + more;
    return size <= pieceBytes || (size <= limits.heldBytes && held.total + more <= limits.heldBytesInAll);
  }

  /** Most messages come as one chunk and are not copied; the small chunks of others are put together. */
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
      const { limits, limitReached } = this.#options;
      const long = this.#length + content.length > limits.heldBytes;
      limitReached(long ? 'smtp.heldBytes' : 'smtp.heldBytesInAll');
      const held = this.#block.subarray(0, this.#length);
      this.#checkHops(held);
      this.#writer = this.#options.openBody();
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

  /** Before anything is streamed: a header of more than that has other troubles than a loop. */
  #checkHops(start: Buffer): void {
    const text = start.toString('latin1', 0, pieceBytes);
    const end = text.search(/\r?\n\r?\n/);
    const hops = text.slice(0, end === -1 ? undefined : end).match(/^received:/gim)?.length ?? 0;
    if (hops <= this.#options.limits.hops) return;
    this.#options.limitReached('smtp.hops');
    throw new MailLoop();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.discard();
  }

  #count(bytes: number): void {
    this.#options.held.total += bytes - this.#counted;
    this.#counted = bytes;
  }
}
