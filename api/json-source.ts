/**
 * JSON that is written piece by piece as its client takes it. `revision` is a text that changes whenever the bytes change,
 * apart from the program and its base URL.
 */
export class JsonSource {
  readonly revision: string;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(revision: string, open: () => AsyncIterable<Uint8Array>) {
    this.revision = revision;
    this.open = open;
  }
}
