import { chunkBytes } from '#core/adapters/stores/mongo/bodies/bucket.ts';
import { type ContentNote, encodeContent } from '#core/adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import type { MailWithIds } from './delivery-rows.ts';

/**
 * A mail whose large parts are in the store already. `loose`: there is a note of that, to be claimed by the commit;
 * `small`: the bytes that are still to be written.
 */
export type StagedMail = MailWithIds & {
  note: ContentNote;
  large: Uint8Array | null;
  loose: boolean;
  small: Uint8Array | null;
};

/** Gives ids to mails and their messages, and writes what is too large for a transaction. */
export async function stageMails(context: Context, mails: PreparedMail[]): Promise<StagedMail[]> {
  const wanted = mails.reduce((count, { targets }) => count + targets.length, 0);
  const ids = await context.ids.take('messages', wanted);
  const staged = mails.map((mail): StagedMail => {
    const own = ids.splice(0, mail.targets.length);
    const { body } = mail;
    const { note, large } = encodeContent(mail.content);
    const small = 'bytes' in body && body.bytes.length <= chunkBytes ? body.bytes : null;
    // The mail itself has the id of its first message, or that under which its body came.
    const mailId = 'bytes' in body ? (own[0] ?? 0) : body.bodyId;
    return { mail, mailId, ids: own, note, large, loose: large !== null || small === null, small };
  });
  for (const mail of staged) await upload(context, mail);
  return staged;
}

async function upload(context: Context, { mail, mailId, large, loose, small }: StagedMail) {
  const { body } = mail;
  if (loose && 'bytes' in body) await context.looseBodies.begin(mailId);
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
