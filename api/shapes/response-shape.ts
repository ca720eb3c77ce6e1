import Joi from 'joi';

/** Schemas of an object's fields, by name. */
type Fields<T> = { [K in keyof T]: Joi.AnySchema<T[K]> };

/** Type of the JSON value that a schema describes, or of the object whose fields are described. */
export type Wire<S> = S extends Joi.AnySchema<infer T> ? T : { [K in keyof S]: Wire<S[K]> };

/**
 * Makes the shape of an object in an answer: all fields are required, and no other is allowed. `name` makes it a component
 * of the OpenAPI document. The schemas give the object its type. Joi leaves some at `any`: `listOf` and `Joi.object<T>()`
 * state a type.
 */
export function responseShape<T>(name: string | null, fields: Fields<T>): Joi.ObjectSchema<T> {
  const required = Object.entries<Joi.Schema>(fields).map(([key, schema]) => [key, schema.required()]);
  const schema = Joi.object<T>(Object.fromEntries(required));
  return name === null ? schema : schema.meta({ className: name });
}

export const listOf = <T>(item: Joi.AnySchema<T>) => Joi.array<T[]>().items(item);

export const nullable = <T>(schema: Joi.AnySchema<T>): Joi.AnySchema<T | null> => schema.allow(null);

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

export const word = <W extends string>(...words: W[]) => Joi.string<W>().valid(...words);

/** Answer to a deletion. */
export const deletion = responseShape('Deletion', {
  id: wholeNumber().min(1).example(7),
  deleted: Joi.boolean<true>().valid(true),
});

export function presentDeletion(id: number): Wire<typeof deletion> {
  return { id, deleted: true };
}
