import Joi from 'joi';
import { frameDocument, framePolicy, frameSandbox } from '#api/frame-document.ts';
import { sendBytes } from '#api/message-source.ts';
import { route } from '#api/route.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { readDocument } from '#core/messages/mail-document.ts';

const query = requestShape<{ images?: 'inline' }>('HtmlQuery', {
  images: Joi.string().valid('inline').description('`inline`: with the pictures that the mail itself has.'),
});

/** Policy of the document, in its head too. An answer of ours would otherwise be a page of our origin. */
const policy = `${framePolicy(false)}; sandbox ${frameSandbox}; frame-ancestors 'none'`;
const head = Buffer.from(frameDocument('', false));

export const messageHtmlRoute = route({
  method: 'get',
  path: '/api/messages/{message_id}/html',
  operationId: 'getMessageHtml',
  summary: 'The HTML of a message as a document',
  description:
    'Sanitised, as the page shows it: for a browser test that opens the mail. It runs no script, sends no form, and loads nothing. 404 for a message without HTML.',
  query,
  success: { description: 'The document', contentType: 'text/html' },
  async handle({ services, caller, ids, query, ctx }) {
    const isInline = query.images === 'inline';
    const mail = await readDocument(services, caller.userId, caller.team, ids.message_id, isInline);
    ctx.set('Content-Security-Policy', policy);
    return sendBytes(ctx, 'text/html', head.length + mail.sizeBytes, async function* () {
      yield head;
      yield* mail.open();
    });
  },
});
