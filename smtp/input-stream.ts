import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { DotReader } from './dot-reader.ts';
import type { Turns } from './turns.ts';

const LF = 0x0a;
const CR = 0x0d;
type Next = (error?: Error | null) => void;

const nothing: Buffer = Buffer.alloc(0);

/** A command line that is longer than allowed. */
export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/** Takes the content of a message; a promise asks to wait until it is settled (it never rejects). */
export type ContentSink = (content: Buffer) => Promise<void> | null;

/** The dialogue that a stream belongs to. It is complete only after the stream was made. */
export type Dialogue = {
  readonly turns: Turns;
  readonly turnCommands: number;
  readonly remoteAddress: string;
};

/**
 * What a client sends, as commands and message contents.
 *
 * It replaces the reading of smtp-server's own stream, which ends a command at a lone LF without telling, takes a
 * dot off lines that follow a lone LF but not off `.x`, runs a command that was cut off by the end of the connection,
 * and passes a message through a stream of its own in a turn of the event loop for each stuffed dot.
 */
export class InputStream extends SMTPStream {
  readonly #dialogue: Dialogue;
  /** Commands run since other connections last had their turn, whether they were awaited or not. */
  #commands = 0;
  #rest = nothing;
  #dots = new DotReader();
  #sink: ContentSink = () => null;
  #ended: (resume: () => void) => void = () => {};
  /** The message's content is waiting for the store, not for the client. */
  waiting = false;

  constructor(dialogue: Dialogue, maxCommandLength: number | undefined) {
    super({ maxCommandLength });
    this.#dialogue = dialogue;
  }

  /** Tells whether more was sent behind the command that is being run. */
  get pipelined(): boolean {
    return this.#rest.length > 0;
  }

  /** From the next byte on, reads a message; `ended` is told its end and resumes the commands. */
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

  /** A command without its line end is none. */
  override _flushData(): void {}

  /** Works off what has been read, until more of it is needed. */
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

  /** Goes on when the other connections have had their turn. */
  #pause(next: Next): void {
    this.#dialogue.turns.wait(this.#dialogue.remoteAddress, () => {
      this.#commands = 0;
      this.#advance(next);
    });
  }

  /** The next command, null where it is not whole yet. An LF without its CR stays on it, for that to be refused. */
  #takeLine(): Buffer | LineTooLong | null {
    const end = this.#rest.indexOf(LF);
    if ((end === -1 ? this.#rest.length : end + 1) > this._maxCommandLength) return new LineTooLong();
    if (end === -1) return null;
    const line = this.#rest.subarray(0, this.#rest[end - 1] === CR ? end - 1 : end + 1);
    this.#rest = this.#rest.subarray(end + 1);
    return line;
  }

  /** Runs a command. True: it is done already; false: it goes on by itself when it is. */
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
