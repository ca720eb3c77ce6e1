/**
 * JSON that is written piece by piece as its client takes it. `revision` tells all that the bytes depend on, but for the
 * program and its base URL.
 */
export class JsonSource {
  readonly revision: string;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(revision: string, open: () => AsyncIterable<Uint8Array>) {
    this.revision = revision;
    this.open = open;
  }
}
