/** Schema of an OpenAPI 3.0 document, limited to what the reference shows. */
export type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

type Content = Record<string, { schema?: Schema }>;
export type Parameter = {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
};
type Described = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
};

/** OpenAPI document. */
export type OpenApi = {
  info: { version: string; description: string };
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

/** API operation. `id` is its anchor. */
export type Operation = Described & { id: string; method: string; path: string; tag: string };

/** Body field or parameter. `aliases` are other spellings of its name. */
export type Row = { name: string; aliases: string[]; type: string; required: boolean; description: string };

export function operationsOf({ paths }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      id: described.operationId,
      method: method.toUpperCase(),
      path,
      tag: described.tags[0] ?? '',
    })),
  );
}

/** Checks whether an operation contains each word of a search in its method, path, texts or parameters. */
export function isFound(operation: Operation, search: string): boolean {
  const { method, path, summary, description = '', operationId, parameters = [], tag } = operation;
  const names = parameters.map(({ name }) => name);
  const text = [method, path, summary, description, operationId, tag, ...names].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Follows a reference. Schemas refer only to `#/components/schemas/…`. */
function resolve({ components }: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (components.schemas[name] ?? {});
}

/** Depth from which an example contains no further objects, because the MIME tree contains itself. */
const exampleDepth = 6;

/** Creates a schema's example from the examples of its parts. */
export function exampleOf(document: OpenApi, given: Schema, depth = 0): unknown {
  const schema = resolve(document, given);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const [variant] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).filter(([, field]) => aliasOf(field) === null);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field, depth + 1)]));
  }
  if (variant !== undefined) return exampleOf(document, variant, depth + 1);
  if (schema.type === 'array')
    return depth >= exampleDepth || schema.items === undefined
      ? []
      : [exampleOf(document, schema.items, depth + 1)];
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 0;
  return schema.type === 'string' ? 'text' : {};
}

/** Describes a schema's values: `integer, 1 to 200, default 50`. */
function typeOf(document: OpenApi, given: Schema): string {
  const schema = resolve(document, given);
  const { type = 'any', minimum, maximum, minLength, maxLength, nullable } = schema;
  const largest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const name = given.$ref?.split('/').at(-1);
  const items =
    type === 'array' && schema.items !== undefined ? `list of ${typeOf(document, schema.items)}` : null;
  const parts = [
    name ?? items ?? schema.format ?? type,
    schema.enum && `one of ${schema.enum.filter((value) => value !== null).join(', ')}`,
    largest !== undefined && minimum !== undefined && `${minimum} to ${largest}`,
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters`,
    nullable && 'or null',
    schema.default !== undefined && `default ${schema.default}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

/** Lists an operation's parameters. A parameter with several spellings is listed once. */
export function parameterRows(document: OpenApi, { parameters = [] }: Operation): Row[] {
  return rowsOf(
    parameters.map(({ name, schema, description, required = false }) => ({
      name,
      type: typeOf(document, schema),
      required,
      description: description ?? schema.description ?? '',
    })),
  );
}

/** Lists an object's fields. A field with several spellings is listed once. */
export function fieldRows(document: OpenApi, given: Schema): Row[] {
  const { properties = {}, required = [] } = resolve(document, given);
  return rowsOf(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      type: typeOf(document, schema),
      required: required.includes(name),
      description: schema.description ?? '',
    })),
  );
}

function rowsOf(fields: Omit<Row, 'aliases'>[]): Row[] {
  const spellings = Map.groupBy(fields, (field) => aliasOf(field) ?? field.name);
  return [...spellings.values()].flatMap(([first, ...aliases]) =>
    first === undefined ? [] : [{ ...first, aliases: aliases.map(({ name }) => name) }],
  );
}

/** Returns the field for which an alternative spelling stands, according to its description, or null. */
function aliasOf({ description = '' }: { description?: string }): string | null {
  return /^The same as ([\w]+)\.$/.exec(description)?.[1] ?? null;
}
