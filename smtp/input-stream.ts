import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { Turns } from '#gate/smtp-turns.ts';

/** Finds the end of a message's content, or of a part of the content, in chunks of any size. */
export type ContentReader = {
  /**
   * Returns the content in a chunk, and the index of the first byte after the content (null if the content continues in the next chunk).
   * The content may be a view of the chunk.
   */
  read(chunk: Buffer): { content: Buffer; end: number | null };
};

/** Reads a fixed number of octets after BDAT, whatever their values are (RFC 3030 section 2). */
export class ChunkReader implements ContentReader {
  #left: number;

  constructor(octets: number) {
    this.#left = octets;
  }

  read(chunk: Buffer): { content: Buffer; end: number | null } {
    const content = chunk.subarray(0, this.#left);
    this.#left -= content.length;
    return { content, end: this.#left === 0 ? content.length : null };
  }
}

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const lineWithDot = Buffer.from('\r\n.');
const heldCr = Buffer.from('\r');

/**
 * State of the parser between two chunks. In the state `dot`, it withholds the dot at the start of a line, and in `dot-cr`, that dot and
 * a CR.
 */
type State = 'text' | 'cr' | 'line-start' | 'dot' | 'dot-cr';

/**
 * Reads the content after DATA, in chunks of any size. Removes the leading dot of lines, and ends at a line that consists of a dot (RFC
 * 5321 section 4.5.2). Only CRLF ends a line: a receiver that ends a message at a lone CR or LF, or that removes a dot after one, does
 * not agree with the sender about where the message ends, so one message can smuggle in another (CVE-2023-51764).
 */
export class DotReader implements ContentReader {
  #state: State = 'line-start';

  /**
   * Returns the content in a chunk, and the index of the first byte after the message (null if the message continues in the next chunk).
   * The content may be a view of the chunk, whose bytes are moved in place. Bytes from `end` onward are unchanged.
   */
  read(chunk: Buffer): { content: Buffer; end: number | null } {
    const prefix = this.#state === 'dot-cr' && chunk.length > 0 && chunk[0] !== LF ? heldCr : null;
    let kept = 0;
    let from = 0;
    let at = 0;
    const content = () => {
      const bytes = chunk.subarray(0, kept);
      return prefix ? Buffer.concat([prefix, bytes]) : bytes;
    };
    const keep = (to: number) => {
      if (from !== kept) chunk.copy(chunk, kept, from, to);
      kept += to - from;
    };
    while (at < chunk.length) {
      if (this.#state === 'text') {
        const line = chunk.indexOf(lineWithDot, at);
        if (line === -1) {
          this.#state = stateAtEnd(chunk, at);
          break;
        }
        keep(line + 2);
        at = from = line + 3;
        this.#state = 'dot';
      } else if (this.#state === 'cr' && chunk[at] === LF) {
        this.#state = 'line-start';
        at++;
      } else if (this.#state === 'line-start' && chunk[at] === DOT) {
        keep(at);
        at = from = at + 1;
        this.#state = 'dot';
      } else if (this.#state === 'dot' && chunk[at] === CR) {
        this.#state = 'dot-cr';
        at++;
      } else if (this.#state === 'dot-cr' && chunk[at] === LF) {
        return { content: content(), end: at + 1 };
      } else {
        this.#state = 'text';
      }
    }
    if (this.#state !== 'dot-cr') keep(chunk.length);
    return { content: content(), end: null };
  }
}

/** Returns the state after the bytes from index `from` to the end of the chunk. */
function stateAtEnd(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return 'cr';
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? 'line-start' : 'text';
}

const nothing: Buffer = Buffer.alloc(0);

export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/** Receives message content. Returns null, or a promise that settles when more content may be passed. The promise never rejects. */
export type ContentSink = (content: Buffer) => Promise<void> | null;

/** Dialogue that a stream belongs to. The stream may read its fields only after the stream has been constructed. */
export type Dialogue = {
  readonly shared: {
    turns: Turns;
    limits: { turnCommands: number; commandLineBytes: number; authLineBytes: number };
  };
  readonly remoteAddress: string;
  /** True if the next line is a response to an AUTH challenge. */
  readonly isAnswering: boolean;
  /** Runs a command. Calls `done` when the next command may run. */
  onCommand(line: Buffer, done: () => void): void;
};

/** Called when more bytes may be passed, or with an error after which the input accepts no more bytes. */
export type Next = (error?: Error | null) => void;

/** Input of a connection: the stream that the connection's socket is piped into. */
export abstract class BaseInput extends SMTPStream {
  /** True if the connection is closed or closing. Bytes that were received before that are dropped. */
  declare readonly isClosed: boolean;
  /** True if the last command that the client has sent so far is QUIT, even if it has not run yet. */
  endsWithQuit = false;

  abstract receive(bytes: Buffer, next: Next): void;

  /** Accepts bytes from the client. They may have to wait for earlier bytes. */
  override write(bytes: Uint8Array | string): boolean {
    const end = typeof bytes === 'string' ? bytes : Buffer.from(bytes.subarray(-6)).toString('latin1');
    this.endsWithQuit = /quit\r\n$/i.test(end);
    return super.write(bytes);
  }

  /**
   * Replaces smtp-server's parser. That parser ends a command at a lone LF without reporting it. It removes the dot from lines that
   * follow a lone LF, but not from `.x`. It runs a command that was cut off by the end of the connection. It passes messages through a
   * separate stream, with a turn of the event loop for each stuffed dot.
   */
  override _write(chunk: Buffer, _encoding: string, next: Next): void {
    this.receive(chunk, next);
  }
}

/** Splits a client's bytes into commands and message contents. */
export class InputStream extends BaseInput {
  readonly #dialogue: Dialogue;
  /** Number of commands that have run since other connections last had their turn, whether they were awaited or not. */
  #commands = 0;
  #rest = nothing;
  /** Reader of the content that the client is currently sending. Null between contents. */
  #reader: ContentReader | null = null;
  #sink: ContentSink = () => null;
  #ended: (resume: () => void) => void = () => {};
  /** True if a message's content is waiting for the store, not for the client. */
  waiting = false;

  constructor(dialogue: Dialogue) {
    super();
    this.#dialogue = dialogue;
  }

  /** True if the client has already sent bytes after the running command. */
  get pipelined(): boolean {
    return this.#rest.length > 0;
  }

  /** Reads content from the next byte on. At the end of the content, calls `ended` with a function that resumes the commands. */
  readContent(reader: ContentReader, sink: ContentSink, ended: (resume: () => void) => void): void {
    this.#reader = reader;
    this.#sink = sink;
    this.#ended = ended;
  }

  /** Splits further bytes. When the connection ends, drops an unfinished command. */
  receive(bytes: Buffer, next: Next): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.#dialogue.shared.turns.isFree()) this.#advance(next);
    else this.#pause(next);
  }

  /** Processes received bytes until more bytes are needed, or until it is other connections' turn. */
  #advance(next: Next): void {
    const { turns, limits } = this.#dialogue.shared;
    while (this.#commands++ < limits.turnCommands && turns.hasTime()) {
      if (this.#reader && !this.isClosed) {
        this.#pass(this.#reader, next);
        return;
      }
      const line = this.isClosed ? null : this.#takeLine();
      if (line === null || line instanceof LineTooLong) {
        if (line !== null || this.isClosed) this.#rest = nothing;
        next(line);
        return;
      }
      if (!this.#run(line, next)) return;
    }
    this.#pause(next);
  }

  /** Continues after other connections have had their turn. */
  #pause(next: Next): void {
    this.#dialogue.shared.turns.wait(this.#dialogue.remoteAddress, () => {
      this.#commands = 0;
      this.#advance(next);
    });
  }

  /** Returns the next command, null if it is incomplete, or LineTooLong. Keeps a lone LF, because the command is refused for it later. */
  #takeLine(): Buffer | LineTooLong | null {
    const end = this.#rest.indexOf(LF);
    const length = end === -1 ? this.#rest.length : end + 1;
    const { authLineBytes, commandLineBytes } = this.#dialogue.shared.limits;
    if (length > commandLineBytes && (length > authLineBytes || !this.#isOfAuth)) return new LineTooLong();
    if (end === -1) return null;
    const line = this.#rest.subarray(0, this.#rest[end - 1] === CR ? end - 1 : end + 1);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  /**
   * True if the next line is an AUTH command, which may be longer than others (RFC 4954 section 4): identity providers' tokens are long.
   */
  get #isOfAuth(): boolean {
    return this.#dialogue.isAnswering || this.#rest.toString('latin1', 0, 5).toUpperCase() === 'AUTH ';
  }

  /** Runs a command. Returns true if the command is already done. Otherwise, reading resumes by itself when it is. */
  #run(line: Buffer, next: Next): boolean {
    const progress = { done: false, awaited: false };
    this.#dialogue.onCommand(line, () => {
      progress.done = true;
      if (progress.awaited) this.#advance(next);
    });
    progress.awaited = !progress.done;
    return progress.done;
  }

  /** Passes the available bytes to the sink, up to the end of the content. */
  #pass(reader: ContentReader, next: Next): void {
    const chunk = this.#rest;
    const { content, end } = reader.read(chunk);
    this.#rest = end === null ? nothing : chunk.subarray(end);
    if (end !== null) this.#reader = null;
    const go = () => {
      if (end === null) next();
      else this.#ended(() => this.#advance(next));
    };
    const wait = content.length === 0 ? null : this.#sink(content);
    if (wait === null) {
      go();
      return;
    }
    this.waiting = true;
    wait.then(() => {
      this.waiting = false;
      go();
    });
  }
}
