import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { decodeBody, toBase64 } from './attachment-body.ts';
import type { Attachment } from './content.ts';
import type { MessageStore } from './message.ts';
import { type ReadPorts, readMessage, readRaw } from './read-message.ts';
import type { Job, Requester } from './requester.ts';

/**
 * Picture in an email, named by the Content-ID that the HTML uses, without brackets. `attachment`: ID of the attachment that contains the
 * picture.
 */
export type Picture = { attachment: number; contentId: string; contentType: string; sizeBytes: number };

/** Sanitized HTML in UTF-8. `places`: where to insert the pictures' base64 data, as offsets in `bytes` in ascending order. */
export type DocumentBody = { bytes: Uint8Array; places: { at: number; attachment: number }[] };

/** Sanitizes HTML. */
type WriteDocument = Job<[html: string, pictures: Picture[]], DocumentBody>;

type Ports = ReadPorts & { messages: Pick<MessageStore, 'raw'>; writeDocument: WriteDocument };

/** Document that was created from an email. `sizeBytes`: total length of all pieces. */
export type MailDocument = { sizeBytes: number; open(): AsyncIterable<Uint8Array> };

/**
 * Reads a message's HTML as a sanitized document. If `inline` is set, the document contains the message's own pictures as base64. The
 * pictures are read from the store piece by piece while the document is being read. Throws NotFound, also if the message has no HTML.
 */
export async function readDocument(
  ports: Ports,
  requester: Requester,
  owner: Id,
  id: Id,
  inline: boolean,
): Promise<MailDocument> {
  let attachments: Attachment[] = [];
  const { bytes, places } = await ports.writeDocument(requester, async () => {
    const { content } = await readMessage(ports, owner, id);
    if (content.html === null) throw new NotFound('This message has no HTML');
    attachments = content.attachments;
    return [content.html, inline ? picturesOf(attachments) : []];
  });
  if (places.length === 0) return { sizeBytes: bytes.length, open: () => piecesOf([bytes]) };
  const raw = await readRaw(ports, owner, id);
  const byId = new Map(attachments.map((attachment) => [attachment.id, attachment]));
  const encoded = places.reduce((sum, { attachment }) => sum + encodedBytes(byId.get(attachment)), 0);
  return {
    sizeBytes: bytes.length + encoded,
    async *open() {
      let at = 0;
      for (const place of places) {
        yield bytes.subarray(at, place.at);
        at = place.at;
        const { body } = byId.get(place.attachment) ?? {};
        if (body !== undefined) yield* toBase64(decodeBody(raw.open(body), body.encoding));
      }
      yield bytes.subarray(at);
    },
  };
}

function picturesOf(attachments: Attachment[]): Picture[] {
  return attachments.flatMap(({ id, contentId, contentType, sizeBytes }) => {
    const isImage = /^image\/[\w.+-]+$/i.test(contentType);
    if (contentId === null || !isImage) return [];
    return [{ attachment: id, contentId: contentId.replace(/^<|>$/g, ''), contentType, sizeBytes }];
  });
}

async function* piecesOf(pieces: Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

const encodedBytes = (attachment: Attachment | undefined) => Math.ceil((attachment?.sizeBytes ?? 0) / 3) * 4;
