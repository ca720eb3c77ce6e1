import Joi from 'joi';
import type { Links } from '#api/links.ts';
import type { Id } from '#core/ids.ts';
import type { Attachment, MimePart } from '#core/messages/content.ts';
import {
  listOf,
  nullable,
  responseShape,
  text,
  url,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';

export const attachmentShape = responseShape('Attachment', {
  id: wholeNumber().min(1).example(1).description('Counts from 1 within the message.'),
  filename: nullable(text()).example('invoice.pdf'),
  content_type: text().example('application/pdf'),
  size_bytes: wholeNumber().example(20480).description('Of the decoded bytes.'),
  disposition: word('attachment', 'inline').example('attachment'),
  content_id: nullable(text()).example(null),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .example('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'),
  downloadUrl: url(),
});

export function presentAttachment(
  attachment: Attachment,
  messageId: Id,
  links: Links,
): Wire<typeof attachmentShape> {
  return {
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    size_bytes: attachment.sizeBytes,
    disposition: attachment.disposition,
    content_id: attachment.contentId,
    sha256: attachment.sha256,
    downloadUrl: links.url(`/api/messages/${messageId}/attachments/${attachment.id}`),
  };
}

const partFields = {
  content_type: text().example('text/plain'),
  size_bytes: wholeNumber().example(120).description('Of the encoded body.'),
  filename: nullable(text()).example(null),
  attachment_id: nullable(wholeNumber().min(1)).example(null),
};

type Part = Wire<typeof partFields> & { children: Part[] };

/** MIME tree. Its reference to itself is written out, since joi-to-swagger does not know recursion. */
export const partShape = responseShape('MimePart', {
  ...partFields,
  children: listOf(Joi.object<Part>()).meta({
    swagger: { type: 'array', items: { $ref: '#/components/schemas/MimePart' } },
    swaggerOverride: true,
  }),
});

/** Presents a part with its children. The recursion is bounded, since the parser limits the depth of the tree. */
export function presentPart(part: MimePart): Part {
  return {
    content_type: part.contentType,
    size_bytes: part.sizeBytes,
    filename: part.filename,
    attachment_id: part.attachmentId,
    children: part.children.map(presentPart),
  };
}
