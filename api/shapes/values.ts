import Joi from 'joi';
import { limitOf } from '#core/limit-of.ts';
import type { LimitName } from '#core/limits.ts';

export const wholeValue = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  Joi.number().integer().min(min).max(max).strict();

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Time span in seconds, or a number with a unit, up to `days`. */
export const durationValue = (days: number) =>
  Joi.alternatives(
    wholeValue(1, days * 86_400),
    Joi.string()
      .pattern(/^[0-9]{1,7}[smhd]$/)
      .custom((typed: string, helpers) => {
        const seconds = Number.parseInt(typed, 10) * (unitSeconds[typed.slice(-1)] ?? 0);
        return seconds >= 1 && seconds <= days * 86_400 ? seconds : helpers.error('alternatives.match');
      }),
  ).messages({
    'alternatives.match': `must be from 1 s to ${days === 1 ? '24 hours' : `${days} days`}, in seconds or as a duration such as 10m or 12h`,
  });

export const idValue = () => wholeValue(1).example(7);

/** Text of `min` to `max` characters (code points, as in JSON Schema). `limit` names the limit that sets `max`, if there is one. */
export function textValue(
  min: number,
  max: number,
  swagger: Record<string, unknown> = {},
  limit?: LimitName,
): Joi.StringSchema {
  return (min === 0 ? Joi.string().allow('') : Joi.string())
    .custom((text: string, helpers) => {
      // A code point has at most two code units, so longer text is too long without counting.
      const length = text.length > 2 * max ? text.length : [...text].length;
      if (length >= min && length <= max) return text;
      return helpers.message({ custom: `must have ${min} to ${max} characters` }, { reached: limit });
    })
    .meta({ swagger: { minLength: min, maxLength: max, ...swagger } });
}

/** Text of at least `min` characters, and at most as many as a limit allows. */
export const limitedText = (min: number, limit: LimitName) => textValue(min, limitOf(limit), {}, limit);

/** Human-readable name that is not blank, without control characters. */
export function nameValue(min: number, max: number): Joi.StringSchema {
  const pattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
  return textValue(min, max, { pattern }).custom((text: string, helpers) =>
    /\p{Cc}|^\s*$/u.test(text)
      ? helpers.message({ custom: 'must not be blank or contain control characters' })
      : text,
  );
}

export const flagValue = () => Joi.boolean().strict();

/** Instant in ISO 8601 with an offset. Null clears the value. */
export const instantValue = () =>
  Joi.string()
    .allow(null)
    .custom(
      (text: string, helpers) =>
        parseTimestamp(text) ?? helpers.message({ custom: 'must be an ISO 8601 timestamp with an offset' }),
    )
    .meta({ swagger: { format: 'date-time' } })
    .example('2026-12-24T18:00:00.000+00:00');

/** Whole number in a query, from `min` to `max`. */
export function queryInteger(min: number, max: number, fallback?: number): Joi.Schema {
  const schema = fallback === undefined ? Joi.string() : Joi.string().default(fallback);
  return schema
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

/** Flag in a query, `true` or `false`. Does not use `valid`, because Joi does not convert values that `valid` lists. */
export const queryFlag = () =>
  Joi.string()
    .custom((text: string, helpers) => {
      if (text === 'true' || text === 'false') return text === 'true';
      return helpers.message({ custom: 'must be true or false' });
    })
    .meta({ swagger: { type: 'boolean' }, swaggerOverride: true });

/** Text in a query, up to `max` characters. `limit` names the limit that sets `max`, if there is one. */
export const queryText = (max: number, limit?: LimitName) => textValue(0, max, {}, limit);

/** Calendar date and time with offset, in ISO 8601's extended or basic format. Minutes and seconds are optional. */
const pattern =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/** Returns the instant of an ISO 8601 timestamp with an offset or `Z`, to the millisecond. Returns null for any other text. */
export function parseTimestamp(text: string): Date | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    ,
    month,
    day,
    hour,
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    ahead = '0',
    aheadMinute = '0',
  ] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields;
  if (h > 23 || mi > 59 || s > 59 || Number(ahead) > 23 || Number(aheadMinute) > 59) return null;
  const local = new Date(0);
  local.setUTCFullYear(y, mo - 1, d);
  // A day that the month lacks would have become a day of the next month.
  if (local.getUTCMonth() !== mo - 1 || local.getUTCDate() !== d) return null;
  local.setUTCHours(h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offsetMs = (Number(ahead) * 60 + Number(aheadMinute)) * 60_000;
  const instant = new Date(local.getTime() - (sign === '-' ? -offsetMs : offsetMs));
  // Responses have four-digit years.
  return instant.getUTCFullYear() >= 0 && instant.getUTCFullYear() <= 9999 ? instant : null;
}

const minuteMs = 60_000;
/** Most recently formatted minute. Rows of a list often share a minute, and formatting a whole instant takes four times as long. */
let last = { minute: Number.NaN, text: '' };

/** Formats an instant for a response: `2026-11-21T10:00:00.000+00:00`. */
export function presentInstant(date: Date): string {
  const minute = Math.floor(date.getTime() / minuteMs);
  if (minute !== last.minute) last = { minute, text: date.toISOString().slice(0, -'00.000Z'.length) };
  const seconds = (date.getTime() - minute * minuteMs) / 1000;
  return `${last.text}${seconds.toFixed(3).padStart('00.000'.length, '0')}+00:00`;
}
