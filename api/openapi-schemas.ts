import type Joi from 'joi';
import joiToSwagger from 'joi-to-swagger';

type Schema = Record<string, unknown>;

/** Converts Joi shapes to JSON schemas of OpenAPI 3.0. Collects named shapes as components. */
export class Schemas {
  #components: Record<string, Schema> = {};

  /** Returns the schema of a shape, or a reference to it. */
  of(shape: Joi.Schema): Schema {
    const { swagger, components } = joiToSwagger.default(shape, { schemas: this.#components });
    this.#components = { ...this.#components, ...components?.schemas };
    return mend(swagger);
  }

  /** Returns the schemas of all named shapes, by name. */
  all(): Record<string, Schema> {
    return Object.fromEntries(Object.entries(this.#components).map(([name, schema]) => [name, mend(schema)]));
  }
}

/** Adds null to the values of nullable enumerations. OpenAPI 3.0.3 requires it, and joi-to-swagger leaves it out. */
function mend(schema: Schema): Schema {
  const { enum: words, nullable } = schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, mendValue(value)]);
  const mended: Schema = Object.fromEntries(entries);
  return Array.isArray(words) && nullable && !words.includes(null)
    ? { ...mended, enum: [...words, null] }
    : mended;
}

function mendValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mendValue);
  return typeof value === 'object' && value !== null ? mend(value as Schema) : value;
}
