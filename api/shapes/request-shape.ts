import Joi from 'joi';
import { Invalid, type Violation } from '#core/errors.ts';
import { limitOf } from '#core/limit-of.ts';
import type { LimitName } from '#core/limits.ts';
import { isLike, nearestName } from '#setup/nearest-name.ts';

/** Request field, accepted under any of its `names`. Documents use the first. */
export type Field = {
  names: [string, ...string[]];
  schema: Joi.Schema;
  required: boolean;
  default: unknown;
  /** Maximum number of items in a list, checked before the items. */
  mostItems?: LimitName;
};

type Findings = { violations: Violation[]; limits: LimitName[] };

/**
 * Declaration of a field: its schema, alone or with other properties. The schema states whether the field is required, its default, and
 * which value counts as missing (`empty`). If `names` is missing, a field has its core name in both spellings: `delay_ms` and `delayMs`.
 */
type Declared = Joi.Schema | (Partial<Field> & Pick<Field, 'schema'>);

export type Fields<T> = { [K in keyof T]-?: Declared };

/** Shape of a body or a query: its fields by core name (`T`), their names on the wire, and their schemas. */
export type RequestShape<T> = {
  name: string;
  fields: Record<string, Field>;
  /** Schemas by each name of their fields, for the OpenAPI document. */
  schema: Joi.ObjectSchema;
  /** True if no field is required. */
  optional: boolean;
  /** Returns the values by core name. Ignores unknown names unless the rules refuse them. Throws Invalid with the violations. */
  read(input: Record<string, unknown>): T;
};

type Rules = {
  /** Refuses an update that contains no known field. */
  atLeastOne?: boolean;
  /** Sets of fields, by core name, of which at least one set must be complete. Default: one set of all required fields. */
  oneOf?: string[][];
  /**
   * Unknown names that are ignored, for clients that send a response back. Other unknown names are refused: with a misspelled condition,
   * the request would do more than intended.
   */
  ignored?: string[];
  example?: Record<string, unknown>;
};

/** Creates a shape. Only a field's schema converts its value. */
export function requestShape<T>(name: string, fields: Fields<T>, rules: Rules = {}): RequestShape<T> {
  const declared = Object.entries<Declared>(fields);
  const all = Object.fromEntries(declared.map(([key, one]) => [key, fieldOf(key, one)]));
  const needed = Object.keys(all).filter((key) => all[key]?.required);
  const sets = rules.oneOf ?? (rules.atLeastOne ? Object.keys(all).map((key) => [key]) : [needed]);
  return {
    name,
    fields: all,
    schema: documented(name, all, sets, rules),
    optional: sets.some((set) => set.length === 0),
    read(input) {
      const findings: Findings = { violations: [], limits: [] };
      const { violations } = findings;
      if (rules.ignored !== undefined)
        for (const one of unknownFields(all, Object.keys(input), rules.ignored)) violations.push(one);
      const values: Record<string, unknown> = {};
      for (const [key, field] of Object.entries(all)) {
        const value = readField(field, input, findings);
        if (value !== undefined) values[key] = value;
      }
      if (violations.length === 0 && !sets.some((set) => set.every((key) => key in values))) {
        for (const one of missing(all, sets, values, rules)) violations.push(one);
      }
      if (violations.length > 0) throw new Invalid(violations, findings.limits);
      return values as T;
    },
  };
}

function fieldOf(key: string, declared: Declared): Field {
  const { schema: given, ...own } = Joi.isSchema(declared) ? { schema: declared } : declared;
  const schema = given.optional();
  const required = given.$_getFlag('presence') === 'required';
  const spelled = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const names: Field['names'] = spelled === key ? [key] : [spelled, key];
  return { names, required, schema, default: schema.validate(undefined).value, ...own };
}

/** Creates the shapes of a new object and of its change. A change has the same fields, but none of them is required or has a default. */
export function writeShapes<T>(
  noun: string,
  fields: Fields<T>,
  { change, ...rules }: Rules & { change?: Record<string, unknown> } = {},
): { creation: RequestShape<T>; update: RequestShape<Partial<T>> } {
  const creation = requestShape<T>(`${noun}Creation`, fields, rules);
  const optional = Object.entries(creation.fields).map(([key, { default: _, schema, ...field }]) => {
    return [key, { ...field, schema: schema.default(noDefault), required: false }] as const;
  });
  const { example: _, ...same } = rules;
  const update = { ...same, atLeastOne: true, ...(change && { example: change }) };
  return {
    creation,
    update: requestShape(`${noun}Update`, Object.fromEntries(optional) as Fields<Partial<T>>, update),
  };
}

const noDefault = () => undefined;

/** Joi's messages in Sandpost's words. */
const texts = {
  'any.invalid': 'has a value that is not allowed',
  'any.only': 'must be {if(#valids.length == 1, "", "one of ")}{{#valids}}',
  'array.min': 'must have at least {{#limit}} {if(#limit == 1, "item", "items")}',
  'array.max': 'must have at most {{#limit}} {if(#limit == 1, "item", "items")}',
  'array.unique': 'must not occur twice',
  'number.min': 'must be at least {{#limit}}',
  'number.max': 'must be at most {{#limit}}',
  'string.email': 'must be an email address such as ada@example.com',
  'string.empty': 'must not be empty',
  'string.max': 'must have at most {{#limit}} characters',
};

/** Compiles the texts, which Joi would otherwise do for each value: a tenth of the time of a list request. */
const messages = Object.fromEntries(
  Object.entries(texts).map(([code, text]) => [code, Joi.expression(text)]),
);

const options: Joi.ValidationOptions = {
  ...{ convert: false, abortEarly: false, messages, errors: { wrap: { array: false } } },
};

function readField(field: Field, input: Record<string, unknown>, { violations, limits }: Findings): unknown {
  const given: { name: string; value: unknown }[] = [];
  for (const name of field.names) {
    if (!Object.hasOwn(input, name)) continue;
    const { mostItems } = field;
    if (mostItems !== undefined && isLonger(input[name], limitOf(mostItems))) {
      violations.push({ field: name, message: `may have at most ${limitOf(mostItems)} items` });
      limits.push(mostItems);
      continue;
    }
    const { value, error } = field.schema.validate(input[name], options);
    for (const { path, message, context } of error?.details ?? []) {
      violations.push({ field: [name, ...path].join('.'), message: message.replace(/^"[^"]*" /, '') });
      if (context?.reached !== undefined) limits.push(context.reached);
    }
    if (value !== undefined) given.push({ name, value });
  }
  const [first, ...others] = given;
  if (first === undefined) return field.default;
  const differing = others.find(({ value }) => JSON.stringify(value) !== JSON.stringify(first.value));
  if (differing) violations.push({ field: differing.name, message: `disagrees with ${first.name}` });
  return first.value;
}

function isLonger(value: unknown, most: number): boolean {
  return Array.isArray(value) && value.length > most;
}

const mostUnknown = 20;

/** Finds unknown names. Each comes with the most similar field, that field's place within an object, or the list of all fields. */
function unknownFields(fields: Record<string, Field>, given: string[], ignored: string[]): Violation[] {
  const firsts = new Map(Object.values(fields).flatMap(({ names }) => names.map((name) => [name, names[0]])));
  const unknown = given.filter((name) => !firsts.has(name) && !ignored.includes(name));
  const within = Object.values(fields).flatMap(({ names: [object], schema }) =>
    Object.keys(schema.describe().keys ?? {}).map((name) => [name, `${object}.${name}`] as const),
  );
  const places = new Map(within);
  return unknown.slice(0, mostUnknown).map((name) => ({
    field: name.slice(0, shownLength),
    message: unknownName('field', places.get(name) ?? firsts.get(likeOf(name, [...firsts.keys()]) ?? ''), [
      ...new Set(firsts.values()),
    ]),
  }));
}

function likeOf(name: string, known: string[]): string | undefined {
  const nearest = nearestName(name, known);
  return nearest !== null && isLike(name, nearest) ? nearest : undefined;
}

const unknownName = (kind: 'field' | 'parameter', like: string | undefined, known: string[]) =>
  like === undefined
    ? `is unknown; the ${kind}s are ${known.join(', ')}`
    : `is unknown; the nearest ${kind} is ${like}`;

function missing(
  fields: Record<string, Field>,
  sets: string[][],
  values: Record<string, unknown>,
  { atLeastOne, oneOf }: Rules,
): Violation[] {
  const nameOf = (key: string) => fields[key]?.names[0] ?? key;
  if (atLeastOne) {
    const names = Object.keys(fields).map(nameOf).join(', ');
    return [{ field: 'body', message: `must have at least one of ${names}` }];
  }
  // Reports the set that the request has begun to fill, or otherwise the first set.
  const meant = oneOf?.find((set) => set.some((key) => key in values)) ?? sets[0] ?? [];
  return meant
    .filter((key) => !(key in values))
    .map((key) => ({ field: nameOf(key), message: 'is required' }));
}

/** Creates the Joi object for the OpenAPI document: each name is a key, and `required` lists all sufficient combinations of spellings. */
function documented(
  name: string,
  fields: Record<string, Field>,
  sets: string[][],
  { example, ignored }: Rules,
): Joi.ObjectSchema {
  const keys = Object.values(fields).flatMap(({ names: [first, ...aliases], schema }) => [
    [first, schema] as const,
    ...aliases.map((alias) => [alias, schema.description(`The same as ${first}.`)] as const),
  ]);
  const spellings = sets.flatMap((set) =>
    set.reduce<string[][]>(
      (ways, key) => ways.flatMap((way) => (fields[key]?.names ?? []).map((spelled) => [...way, spelled])),
      [[]],
    ),
  );
  const required = spellings.map((names) => ({ required: names }));
  const [only, ...more] = required;
  const rule =
    only === undefined || only.required.length === 0 ? {} : more.length === 0 ? only : { anyOf: required };
  const swagger = { additionalProperties: ignored === undefined, ...rule, ...(example ? { example } : {}) };
  return Joi.object(Object.fromEntries(keys)).meta({ className: name, swagger });
}

/** Parameters that all routes accept, and that are read elsewhere. */
const shared = ['team_id'];

/** Maximum length of unknown parameter names in responses, in characters. */
const shownLength = 100;

/**
 * Reads a query string's values, each given at most once. Refuses an unknown parameter, because a misspelled filter would match
 * everything. The error names the most similar parameter, or all parameters. Throws Invalid.
 */
export function readQuery<T>(querystring: string, shape: RequestShape<T> | undefined): T | null {
  if (querystring === '') return shape === undefined ? null : shape.read({});
  const parameters = new URLSearchParams(querystring);
  const fields = Object.values(shape?.fields ?? {});
  const known = fields.flatMap(({ names }) => names);
  const given = [...new Set(parameters.keys())];
  refuseUnknown(
    given.filter((name) => !shared.includes(name)),
    known,
  );
  const repeated = given.filter((name) => known.includes(name) && parameters.getAll(name).length > 1);
  if (repeated.length > 0) {
    throw new Invalid(repeated.map((field) => ({ field, message: 'must appear only once' })));
  }
  if (shape === undefined) return null;
  return shape.read(Object.fromEntries(parameters));
}

export function refuseUnknown(given: string[], known: string[]): void {
  const unknown = given.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Invalid(
    unknown.map((name) => ({
      field: name.slice(0, shownLength),
      message:
        known.length === 0
          ? 'is unknown: this path accepts no query parameters'
          : unknownName('parameter', likeOf(name, known), known),
    })),
  );
}
