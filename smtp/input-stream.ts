import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DotReader } from './dot-reader.ts';
import type { Turns } from './turns.ts';

const LF = 0x0a;
const CR = 0x0d;
type Next = (error?: Error | null) => void;

const nothing: Buffer = Buffer.alloc(0);

/** Error for a command line that is longer than allowed. */
export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/** Takes content of a message. Gives null, or a promise that settles when more may be passed. The promise never rejects. */
export type ContentSink = (content: Buffer) => Promise<void> | null;

/** Dialogue that a stream belongs to. Its fields may be read only after the stream has been constructed. */
export type Dialogue = {
  readonly turns: Turns;
  readonly turnCommands: number;
  readonly remoteAddress: string;
};

/**
 * Splits a client's bytes into commands and message contents.
 *
 * Replaces the parser of smtp-server's own stream. That parser ends a command at a lone LF without reporting it. It removes
 * the dot from lines that follow a lone LF, but not from `.x`. It runs a command that the end of the connection has cut off.
 * Messages pass through a stream of their own, with a turn of the event loop for each stuffed dot.
 */
export class InputStream extends SMTPStream {
  readonly #dialogue: Dialogue;
  /** Commands run since other connections last had their turn, whether they were awaited or not. */
  #commands = 0;
  #rest = nothing;
  #dots = new DotReader();
  #sink: ContentSink = () => null;
  #ended: (resume: () => void) => void = () => {};
  /** Tells whether the content of a message waits for the store rather than for the client. */
  waiting = false;

  constructor(dialogue: Dialogue, maxCommandLength: number | undefined) {
    super({ maxCommandLength });
    this.#dialogue = dialogue;
  }

  /** Tells whether the client has sent more bytes behind the command that runs. */
  get pipelined(): boolean {
    return this.#rest.length > 0;
  }

  /** Reads a message from the next byte on. Calls `ended` at its end, with a function that resumes the commands. */
  readMessage(sink: ContentSink, ended: (resume: () => void) => void): void {
    this._dataMode = true;
    this.dataBytes = 0;
    this.#dots = new DotReader();
    this.#sink = sink;
    this.#ended = ended;
  }

  override _write(chunk: Buffer, _encoding: string, next: Next): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#dialogue.turns.isFree()) this.#advance(next);
    else this.#pause(next);
  }

  /** Drops an unfinished command at the end of the connection, since a command ends with its line. */
  override _flushData(): void {}

  /** Processes received bytes until more are needed, or until other connections have their turn. */
  #advance(next: Next): void {
    while (this.#commands++ < this.#dialogue.turnCommands && this.#dialogue.turns.hasTime()) {
      if (this._dataMode && !this.isClosed) {
        this.#readContent(next);
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
    this.#dialogue.turns.wait(this.#dialogue.remoteAddress, () => {
      this.#commands = 0;
      this.#advance(next);
    });
  }

  /** Gives the next command, null while it is incomplete, or LineTooLong. Keeps a lone LF, which is refused later. */
  #takeLine(): Buffer | LineTooLong | null {
    const end = this.#rest.indexOf(LF);
    if ((end === -1 ? this.#rest.length : end + 1) > this._maxCommandLength) return new LineTooLong();
    if (end === -1) return null;
    const line = this.#rest.subarray(0, this.#rest[end - 1] === CR ? end - 1 : end + 1);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  /** Runs a command. Gives true if it is done already. Otherwise reading continues by itself when it is done. */
  #run(line: Buffer, next: Next): boolean {
    const progress = { done: false, awaited: false };
    this.oncommand(line, () => {
      progress.done = true;
      if (progress.awaited) this.#advance(next);
    });
    progress.awaited = !progress.done;
    return progress.done;
  }

  #readContent(next: Next): void {
    const chunk = this.#rest;
    const { content, end } = this.#dots.read(chunk);
    this.#rest = end === null ? nothing : chunk.subarray(end);
    this.dataBytes += end ?? chunk.length;
    if (end !== null) this._dataMode = false;
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
