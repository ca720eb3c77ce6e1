import Joi from 'joi';
import type { LimitName } from '#core/limits.ts';
import { parseTimestamp } from './timestamp.ts';

/** An id on the wire. */
export const idValue = () => Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).strict().example(7);

/** A text of so many characters (code points, as JSON Schema counts them). `limit` is the name of `max`, where it has one. */
export function textValue(
  min: number,
  max: number,
  swagger: Record<string, unknown> = {},
  limit?: LimitName,
): Joi.StringSchema {
  return (min === 0 ? Joi.string().allow('') : Joi.string())
    .custom((text: string, helpers) => {
      // A code point has at most two code units: a text beyond that need not be counted.
      const length = text.length > 2 * max ? text.length : [...text].length;
      if (length >= min && length <= max) return text;
      return helpers.message({ custom: `must have ${min} to ${max} characters` }, { reached: limit });
    })
    .meta({ swagger: { minLength: min, maxLength: max, ...swagger } });
}

/** A name that people read: no control characters. */
export function nameValue(min: number, max: number): Joi.StringSchema {
  const pattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
  return textValue(min, max, { pattern }).custom((text: string, helpers) =>
    /\p{Cc}/u.test(text) ? helpers.message({ custom: 'must not contain control characters' }) : text,
  );
}

export const flagValue = () => Joi.boolean().strict();

/** An instant, given as ISO 8601 with an offset; null clears it. */
export const instantValue = () =>
  Joi.string()
    .allow(null)
    .custom((text: string | null, helpers) => {
      if (text === null) return null;
      return parseTimestamp(text) ?? helpers.message({ custom: 'must be an ISO 8601 timestamp with offset' });
    })
    .meta({ swagger: { format: 'date-time' } })
    .example('2026-12-24T18:00:00.000+00:00');

/** A whole number in a query. */
export function queryInteger(min: number, max: number, fallback?: number): Joi.Schema {
  return Joi.string()
    .custom((text: string, helpers) => {
      const value = Number(text);
      if (/^-?[0-9]{1,16}$/.test(text) && value >= min && value <= max) return value;
      return helpers.message({ custom: `must be a whole number from ${min} to ${max}` });
    })
    .meta({
      swagger: {
        type: 'integer',
        minimum: min,
        maximum: max,
        ...(fallback === undefined ? {} : { default: fallback }),
      },
      swaggerOverride: true,
    });
}

/** `true` or `false` in a query. Not by `valid`: what that lists is let through as it is, unconverted. */
export const queryFlag = () =>
  Joi.string()
    .custom((text: string, helpers) => {
      if (text === 'true' || text === 'false') return text === 'true';
      return helpers.message({ custom: 'must be true or false' });
    })
    .meta({ swagger: { type: 'boolean' }, swaggerOverride: true });

/** Some text in a query. */
export const queryText = (max: number) => textValue(1, max);
