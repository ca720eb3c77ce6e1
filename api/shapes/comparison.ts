import Joi from 'joi';
import type { Side } from '#core/comparison/compare-mails.ts';
import type { Change, Comparison } from '#core/comparison/comparison.ts';
import { comparedParts, type MaskKind, maskKinds } from '#core/comparison/kinds.ts';
import type { Masked } from '#core/comparison/masks.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, each, listOf, nullable, text, wholeNumber, word } from './response-shape.ts';
import { idValue, limitedText } from './values.ts';

type GivenSide = { message_id?: number; messageId?: number; raw?: string; encoding?: 'utf-8' | 'base64' };

/** Email to compare: a message, or an email's bytes. */
export const sideValue = () =>
  Joi.object({
    message_id: idValue().description('Id of one of your messages.'),
    messageId: idValue().description('The same as message_id.'),
    raw: Joi.string()
      .allow('')
      .description("Bytes of an email, in the form of a message's `source`.")
      .example('Subject: Welcome\r\n\r\nHello'),
    encoding: word('utf-8', 'base64').description('Encoding of `raw`. Default: utf-8.').example('utf-8'),
  })
    .xor('message_id', 'messageId', 'raw')
    .messages({
      'object.missing': 'must have message_id or raw',
      'object.xor': 'must have one of message_id and raw',
      'object.unknown': 'is unknown: use message_id, raw or encoding',
    })
    .custom(
      (
        { message_id: id, messageId = id, raw = '', encoding }: GivenSide,
        helpers,
      ): Side | Joi.ErrorReport => {
        if (messageId !== undefined) return { messageId };
        if (encoding !== 'base64') return { raw: new TextEncoder().encode(raw) };
        // Removes white space first, because an expression that allows it around the padding takes quadratic time.
        const [, digits] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(raw.replace(/\s+/g, '')) ?? [];
        // A single digit has 6 bits, which is less than a byte (RFC 4648 section 4).
        if (digits === undefined || digits.length % 4 === 1)
          return helpers.message({ custom: 'must have raw in base64' });
        return { raw: new Uint8Array(Buffer.from(digits, 'base64')) };
      },
    );

type ComparisonRequest = { left: Side; right: Side; mask: MaskKind[]; patterns: string[] };

export const comparisonRequest = requestShape<ComparisonRequest>(
  'ComparisonRequest',
  {
    left: sideValue().required(),
    right: sideValue().required(),
    mask: Joi.array()
      .items(word(...maskKinds))
      .unique()
      // Reports only the first fault, because the list may contain thousands of items.
      .prefs({ abortEarly: true })
      .default([])
      .description(
        'Values to ignore. `ids`: message ids, Content-IDs, boundaries, signatures, UUIDs, tokens, and addresses that clients create; `dates`: dates and times; `codes`: one-time codes; `queries`: query strings of URLs.',
      ),
    patterns: {
      names: ['mask_patterns', 'maskPatterns'],
      schema: Joi.array()
        .items(limitedText(1, 'comparison.patternCharacters'))
        .prefs({ abortEarly: true })
        .description(
          'JavaScript regular expressions, with the flags `gu`. The comparison ignores their matches in lines, header field values and tags.',
        )
        .default([])
        .example(['Order [0-9]+']),
      mostItems: 'comparison.patterns',
    },
  },
  {
    example: {
      left: { message_id: 7 },
      right: { raw: 'Subject: Welcome\r\n\r\nHello' },
      mask: ['ids', 'dates'],
    },
    ignored: [],
  },
);

const part = () => word(...comparedParts).example('header');

const changeShape = answerOf<Change>()('Change', {
  part: part(),
  path: text().example('subject').description('Field, element, line or file.'),
  before: nullable(text()).example('subject: Welcome'),
  after: nullable(text()).example('subject: Hello'),
});

const count = () => wholeNumber().example(3);

const maskedShape = answerOf<Masked>()('Masked', {
  ids: count(),
  dates: count(),
  codes: count(),
  queries: count(),
  patterns: count().description('By `mask_patterns`.'),
});

export const comparisonShape = answerOf<Comparison>()('Comparison', {
  equal: Joi.boolean().example(false),
  changes: each(changeShape, ({ changes }) => changes),
  unified: text().description(
    'All changes, as a unified diff of both emails in normal form. Empty if the emails are equal.',
  ),
  too_different: listOf(part()).description('Parts that differ too much to list their changes.'),
  masked: [
    maskedShape.schema.description('Number of ignored values by kind, from the email with more of them.'),
    ({ masked }) => maskedShape.present(masked),
  ],
});
