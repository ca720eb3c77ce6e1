import type { Context } from '#adapters/stores/mongo/context.ts';
import { guarded } from '#adapters/stores/mongo/errors.ts';
import type { BodyWriter } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import type { RawMessage } from '#core/messages/message.ts';
import type { Bucket, BucketUpload } from './bucket.ts';

/** Returns the bytes of a mail. They are read when `open` is called. */
export function rawBody(bodies: Bucket, mailId: Id, sizeBytes: number): RawMessage {
  return {
    sizeBytes,
    open: ({ start, end } = { start: 0, end: sizeBytes }) =>
      bodies.read(mailId, { start, end: Math.min(end, sizeBytes) }),
  };
}

/** Writes a body while it is received. Its id is taken, and its row in `orphanBodies` written, before its first byte. */
export function createBodyWriter({ bodies, ids, orphanBodies }: Context): BodyWriter {
  let begun: Promise<{ id: Id; file: BucketUpload }> | null = null;
  let sizeBytes = 0;
  const begin = async () => {
    const [id = 0] = await ids.take('messages', 1);
    await orphanBodies.begin(id);
    return { id, file: bodies.upload(id) };
  };
  return guarded({
    async write(piece: Uint8Array) {
      begun ??= begin();
      const { file } = await begun;
      sizeBytes += piece.length;
      await file.write(piece);
    },
    async finish() {
      begun ??= begin();
      const { id, file } = await begun;
      await file.finish();
      return { bodyId: id, raw: rawBody(bodies, id, sizeBytes) };
    },
    async discard() {
      if (begun === null) return;
      const { id, file } = await begun;
      await file.abort();
      await orphanBodies.collect([id]);
    },
  });
}
