import Joi from 'joi';

/**
 * Makes the shape of an object in an answer: all fields are required, and no other is allowed. `name` makes it a component
 * of the OpenAPI document.
 */
export function responseShape(name: string | null, fields: Record<string, Joi.Schema>): Joi.ObjectSchema {
  const required = Object.entries(fields).map(([key, schema]) => [key, schema.required()] as const);
  const schema = Joi.object(Object.fromEntries(required));
  return name === null ? schema : schema.meta({ className: name });
}

export const listOf = (item: Joi.Schema) => Joi.array().items(item);

export const wholeNumber = () => Joi.number().integer().min(0).max(Number.MAX_SAFE_INTEGER);

/** Instant in UTC to the millisecond: `2026-11-21T10:00:00.000+00:00` */
export const instant = () =>
  Joi.string()
    .meta({
      swagger: {
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$',
      },
    })
    .example('2026-11-21T10:00:00.000+00:00');

/** Text that may be empty. */
export const text = () => Joi.string().allow('');

export const url = () => Joi.string().meta({ swagger: { format: 'uri' } });

export const word = (...words: string[]) => Joi.string().valid(...words);

/** Answer to a deletion. */
export const deletion = responseShape('Deletion', {
  id: wholeNumber().min(1).example(7),
  deleted: Joi.boolean().valid(true),
});

export function presentDeletion(id: number) {
  return { id, deleted: true };
}
