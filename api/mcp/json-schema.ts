import type Joi from 'joi';
import joiToSwagger from 'joi-to-swagger';
import { notice, type Tool } from './tool.ts';

type Schema = Record<string, unknown>;

/** JSON schemas (2020-12) of a tool's arguments and answer, as in its `tools/list` entry. */
export type ToolSchemas = { inputSchema: ObjectSchema; outputSchema: ObjectSchema };
type ObjectSchema = { type: 'object' } & Schema;

export function schemasOf({ input, output }: Pick<Tool, 'input' | 'output'>): ToolSchemas {
  const fields = Object.values(input.fields).map((field) => [field.names[0], field] as const);
  const { properties, ...answer } = ofJoi(output);
  return {
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, described(schema)])),
      required: fields.filter(([, { required }]) => required).map(([name]) => name),
      additionalProperties: false,
    },
    outputSchema: {
      ...answer,
      type: 'object',
      properties: { notice: { type: 'string', const: notice }, left_out: leftOut, ...(properties as Schema) },
    },
  };
}

const leftOut = {
  type: 'object',
  description: "Number of items omitted from each long list, by the list's path.",
  additionalProperties: { type: 'integer' },
};

/** Returns an argument's schema with its description, which joi-to-swagger omits if the type is set by hand. */
function described(shape: Joi.Schema): Schema {
  const { description }: { description?: string } = shape.describe().flags ?? {};
  return { ...ofJoi(shape), ...(description === undefined ? {} : { description }) };
}

function ofJoi(shape: Joi.Schema): Schema {
  const { swagger, components } = joiToSwagger.default(shape, { schemas: {} });
  return plain(swagger, components?.schemas ?? {}) as Schema;
}

/** OpenAPI keywords that JSON Schema lacks, and `format`, which an email's content may violate. */
const left = ['nullable', 'example', 'format'];

/** Converts an OpenAPI 3.0 schema to JSON Schema, with references replaced by their schemas. */
function plain(schema: unknown, components: Schema): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference, ...own } = schema as Schema & { $ref?: string };
  if (reference !== undefined) {
    const name = reference.split('/').at(-1) ?? '';
    return plain({ ...(components[name] as Schema), ...own }, components);
  }
  const entries = Object.entries(own).filter(([name]) => !left.includes(name));
  const mended = Object.fromEntries(entries.map(([name, value]) => [name, plain(value, components)]));
  return own.nullable === true ? orNull(mended) : mended;
}

function orNull({ type, enum: words, ...schema }: Schema): Schema {
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(Array.isArray(words) ? { enum: [...words.filter((word) => word !== null), null] } : {}),
  };
}
