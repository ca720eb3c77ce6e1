import type Joi from 'joi';
import type { Field, Fields, RequestShape } from '#api/shapes/request-shape.ts';
import { type AnswerField, responseShape } from '#api/shapes/response-shape.ts';

/** Some fields of an object of an answer: their schema, and what picks them out of an object that is presented. */
export type Part<W> = { schema: Joi.ObjectSchema<W>; pick(whole: W): W };

/** Returns the part of an answer that has these fields alone. */
export function partOf<W, K extends keyof W & string>(
  { fields }: { fields: { [N in keyof W]: AnswerField<never, W[N]> } },
  ...names: K[]
): Part<Pick<W, K>> {
  const schemas = Object.fromEntries(names.map((name) => [name, fields[name][0]]));
  return {
    schema: responseShape<Pick<W, K>>(null, schemas as { [N in K]: Joi.AnySchema<W[N]> }),
    pick: (whole) => Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<W, K>,
  };
}

/** Returns some fields of a request, by their names in the core, for a request that has these alone. */
export function fieldsOf<T, K extends keyof T & string>(
  { fields }: RequestShape<T>,
  ...names: K[]
): Fields<Pick<T, K>> {
  return Object.fromEntries(names.map((name) => [name, fields[name] as Field<unknown>])) as Fields<
    Pick<T, K>
  >;
}
