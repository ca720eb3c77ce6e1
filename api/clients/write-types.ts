import { writeFileSync } from 'node:fs';
import { openApiDocument } from '#api/openapi.ts';
import { routes } from '#api/routes/index.ts';

/** Writes the JavaScript client's types for API responses from the OpenAPI document's schemas. */

type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  nullable?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

const wanted = 'Message';
const head =
  '/** API responses, written by `node api/clients/write-types.ts` from the OpenAPI document. */\n';

/** Returns the content of `clients/javascript/api.d.ts`: the type of a message, and the types to which it refers. */
export function typesOfAnswers(): string {
  const { schemas } = openApiDocument(routes, 'http://localhost').components as {
    schemas: Record<string, Schema>;
  };
  const named = new Map<string, string>();
  const add = (name: string): void => {
    if (named.has(name)) return;
    named.set(name, '');
    const schema = schemas[name] ?? {};
    named.set(name, `export type ${name} = ${typeOf(schema, '', add)};\n`);
  };
  add(wanted);
  return [head, ...named.values()].join('\n');
}

/** Returns the type of a schema's values. Calls `add` with the name of each schema to which the type refers. */
function typeOf(schema: Schema, indent: string, add: (name: string) => void): string {
  const { $ref, type, nullable } = schema;
  const name = $ref?.split('/').at(-1);
  if (name !== undefined) add(name);
  const plain = name ?? (type === 'object' ? objectOf(schema, indent, add) : plainOf(schema, indent, add));
  return nullable ? `${plain} | null` : plain;
}

function plainOf({ type, enum: words, items }: Schema, indent: string, add: (name: string) => void): string {
  if (words !== undefined)
    return words.flatMap((word) => (word === null ? [] : JSON.stringify(word))).join(' | ');
  if (items !== undefined) return `Array<${typeOf(items, indent, add)}>`;
  return type === 'integer' ? 'number' : (type ?? 'unknown');
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  indent: string,
  add: (name: string) => void,
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${inner}${name}${mark}: ${typeOf(schema, inner, add)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

if (import.meta.main)
  writeFileSync(new URL('../../clients/javascript/api.d.ts', import.meta.url), typesOfAnswers());
