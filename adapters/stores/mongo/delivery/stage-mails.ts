import { chunkBytes } from '#adapters/stores/mongo/bodies/bucket.ts';
import { encodeContent } from '#adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';

/**
 * Prepared mail with its ids. Its large parts are in the store already. `orphan`: its body has a row in `orphanBodies`,
 * which the commit claims. `small`: bytes that the commit writes. `large`: content that is too long for a row.
 */
export type StagedMail = PreparedMail & {
  mailId: Id;
  ids: Id[];
  note: ContentNote;
  large: Uint8Array | null;
  orphan: boolean;
  small: Uint8Array | null;
};

/** Gives ids to mails and their messages, and writes large bodies and contents, which do not fit a transaction. */
export async function stageMails(context: Context, mails: PreparedMail[]): Promise<StagedMail[]> {
  const wanted = mails.reduce((count, { targets }) => count + targets.length, 0);
  const ids = await context.ids.take('messages', wanted);
  const staged = mails.map((mail): StagedMail => {
    const own = ids.splice(0, mail.targets.length);
    const { body } = mail;
    const { note, large } = encodeContent(mail);
    const small = 'bytes' in body && body.bytes.length <= chunkBytes ? body.bytes : null;
    // The id of a mail is that of its first message, or of the body that was written before.
    const mailId = 'bytes' in body ? (own[0] ?? 0) : body.bodyId;
    const orphan = large !== null || small === null;
    return { ...mail, mailId, ids: own, note, large, orphan, small };
  });
  for (const mail of staged) await upload(context, mail);
  return staged;
}

async function upload(context: Context, { body, mailId, large, orphan, small }: StagedMail): Promise<void> {
  if (orphan && 'bytes' in body) await context.orphanBodies.begin(mailId);
  if ('bytes' in body && small === null) {
    const file = context.bodies.upload(mailId);
    await file.write(body.bytes);
    await file.finish();
  }
  if (large !== null) {
    const file = context.largeContents.upload(mailId);
    await file.write(large);
    await file.finish();
  }
}
