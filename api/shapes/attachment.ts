import Joi from 'joi';
import type { Id } from '#core/ids.ts';
import type { Attachment, MimePart } from '#core/messages/content.ts';
import { listOf, responseShape, text, url, wholeNumber, word } from './response-shape.ts';

export const attachmentShape = responseShape('Attachment', {
  id: wholeNumber().min(1).example(1).description('Counts from 1 within the message.'),
  filename: text().allow(null).example('invoice.pdf'),
  content_type: text().example('application/pdf'),
  size_bytes: wholeNumber().example(20480).description('Of the decoded bytes.'),
  disposition: word('attachment', 'inline').example('attachment'),
  content_id: text().allow(null).example(null),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .example('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  downloadUrl: url(),
});

export function presentAttachment(attachment: Attachment, messageId: Id, baseUrl: string) {
  return {
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    size_bytes: attachment.sizeBytes,
    disposition: attachment.disposition,
    content_id: attachment.contentId,
    sha256: attachment.sha256,
    downloadUrl: `${baseUrl}/api/messages/${messageId}/attachments/${attachment.id}`,
  };
}

/** MIME tree. Its reference to itself is written out, since joi-to-swagger does not know recursion. */
export const partShape = responseShape('MimePart', {
  content_type: text().example('text/plain'),
  size_bytes: wholeNumber().example(120).description('Of the encoded body.'),
  filename: text().allow(null).example(null),
  attachment_id: wholeNumber().min(1).allow(null).example(null),
  children: listOf(Joi.object()).meta({
    swagger: { type: 'array', items: { $ref: '#/components/schemas/MimePart' } },
    swaggerOverride: true,
  }),
});

type PresentedPart = {
  content_type: string;
  size_bytes: number;
  filename: string | null;
  attachment_id: number | null;
  children: PresentedPart[];
};

/** Presents a part with its children. The recursion is bounded, since the parser limits the depth of the tree. */
export function presentPart(part: MimePart): PresentedPart {
  return {
    content_type: part.contentType,
    size_bytes: part.sizeBytes,
    filename: part.filename,
    attachment_id: part.attachmentId,
    children: part.children.map(presentPart),
  };
}
