import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import type { Turns } from '#gate/smtp-turns.ts';

/** Finds the end of a message's content, or of part of it, in chunks of any size. */
export type ContentReader = {
  /**
   * Returns the content in a chunk, and the index of the first byte after its end (null while it has not ended). The content may
   * be a view of the chunk.
   */
  read(chunk: Buffer): { content: Buffer; end: number | null };
};

/** Reads a number of octets after BDAT, whatever they are (RFC 3030 section 2). */
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

/** Parser state between two chunks. `dot` withholds the dot at the start of a line, `dot-cr` that dot and a CR. */
type State = 'text' | 'cr' | 'line-start' | 'dot' | 'dot-cr';

/**
 * Reads the content after DATA, in chunks of any size. Removes the leading dot of lines, and ends at a line with only a dot (RFC
 * 5321 section 4.5.2). Only CRLF ends a line: a receiver that ends a message at a lone CR or LF, or removes a dot after one,
 * disagrees with the sender about the message's end, so one message can smuggle in another (CVE-2023-51764).
 */
export class DotReader implements ContentReader {
  #state: State = 'line-start';

  /**
   * Returns the content in a chunk, and the index of the first byte after the message's end (null while it has not ended). The
   * content may be a view of the chunk, whose bytes are moved in place. Bytes from `end` on are unchanged.
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

/** Returns the state after the text from index `from` to the end of the chunk. */
function stateAtEnd(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return 'cr';
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? 'line-start' : 'text';
}

const nothing: Buffer = Buffer.alloc(0);

export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/** Receives message content. Returns null, or a promise that settles when more may be passed. The promise never rejects. */
export type ContentSink = (content: Buffer) => Promise<void> | null;

/** Dialogue that a stream belongs to. Its fields may be read only after the stream has been constructed. */
export type Dialogue = {
  readonly shared: {
    turns: Turns;
    limits: { turnCommands: number; commandLineBytes: number; authLineBytes: number };
  };
  readonly remoteAddress: string;
  /** True if the next line is a response to an AUTH challenge. */
  readonly isAnswering: boolean;
  /** Runs a command. Calls `done` when the next one may run. */
  onCommand(line: Buffer, done: () => void): void;
};

/** Called when more bytes may be passed, or with an error after which the input accepts no more. */
export type Next = (error?: Error | null) => void;

/** Input of a connection: the stream that its socket is piped into. */
export abstract class BaseInput extends SMTPStream {
  /** True if the connection is closed or closing. Bytes received earlier are then dropped. */
  declare readonly isClosed: boolean;
  /** True if the last command that the client has sent so far is QUIT. It may not have run yet. */
  endsWithQuit = false;

  /** Processes bytes from the client. */
  abstract receive(bytes: Buffer, next: Next): void;

  /** Accepts bytes from the client, which may wait for earlier bytes. */
  override write(bytes: Uint8Array | string): boolean {
    const end = typeof bytes === 'string' ? bytes : Buffer.from(bytes.subarray(-6)).toString('latin1');
    this.endsWithQuit = /quit\r\n$/i.test(end);
    return super.write(bytes);
  }

  /**
   * Replaces the parser. The original ends a command at a lone LF without reporting it. It removes the dot from lines that follow
   * a lone LF, but not from `.x`. It runs a command that the end of the connection has cut off. It passes messages through a
   * separate stream, with a turn of the event loop for each stuffed dot.
   */
  override _write(chunk: Buffer, _encoding: string, next: Next): void {
    this.receive(chunk, next);
  }
}

/** Splits a client's bytes into commands and message contents. */
export class InputStream extends BaseInput {
  readonly #dialogue: Dialogue;
  /** Commands run since other connections last had their turn, whether they were awaited or not. */
  #commands = 0;
  #rest = nothing;
  /** Reader of the content that the client is sending. Null between commands. */
  #reader: ContentReader | null = null;
  #sink: ContentSink = () => null;
  #ended: (resume: () => void) => void = () => {};
  /** True if a message's content waits for the store rather than for the client. */
  waiting = false;

  constructor(dialogue: Dialogue) {
    super();
    this.#dialogue = dialogue;
  }

  /** True if the client has sent more bytes after the running command. */
  get pipelined(): boolean {
    return this.#rest.length > 0;
  }

  /** Reads content from the next byte on. Calls `ended` at its end, with a function that resumes the commands. */
  readContent(reader: ContentReader, sink: ContentSink, ended: (resume: () => void) => void): void {
    this.#reader = reader;
    this.#sink = sink;
    this.#ended = ended;
  }

  /** Splits further bytes. Drops an unfinished command at the end of the connection. */
  receive(bytes: Buffer, next: Next): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.#dialogue.shared.turns.isFree()) this.#advance(next);
    else this.#pause(next);
  }

  /** Processes received bytes until more are needed, or until other connections have their turn. */
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

  /** Returns the next command, null while it is incomplete, or LineTooLong. Keeps a lone LF, which is refused later. */
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

  /** True if an AUTH line is next, which may be longer (RFC 4954 section 4): identity providers' tokens are long. */
  get #isOfAuth(): boolean {
    return this.#dialogue.isAnswering || this.#rest.toString('latin1', 0, 5).toUpperCase() === 'AUTH ';
  }

  /** Runs a command. Returns true if it is already done. Otherwise reading continues by itself when it is done. */
  #run(line: Buffer, next: Next): boolean {
    const progress = { done: false, awaited: false };
    this.#dialogue.onCommand(line, () => {
      progress.done = true;
      if (progress.awaited) this.#advance(next);
    });
    progress.awaited = !progress.done;
    return progress.done;
  }

  /** Passes the available bytes to the sink, as far as they are content. */
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
