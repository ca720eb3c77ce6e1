import type { Setting } from './settings.ts';

type Schema = Setting['schema'];
type Refused = NonNullable<ReturnType<Schema['validate']>['error']>;
type Rule = { name: string; args?: { limit?: number } };
type Described = { type?: string; rules?: Rule[]; allow?: unknown[] };

/** Explains a refused value: the values that the setting allows, and its purpose. */
export function explainRefusal({ schema, help }: Setting, error: Refused): string {
  const cause = error.details[0]?.context?.error;
  // Errors of lists name the item that is wrong.
  return `${cause instanceof Error ? cause.message : `must be ${wanted(schema, error)}`} (${help})`;
}

function wanted(schema: Schema, { details: [detail] }: Refused): string {
  const { type, rules = [], allow = [] }: Described = schema.describe();
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const [least, most] = [limitOf('min'), limitOf('max')];
  const range = most === undefined ? `of at least ${least ?? 0}` : `from ${least ?? 0} to ${most}`;
  if (type === 'boolean') return 'true or false';
  if (rules.some(({ name }) => name === 'port')) return 'a port, 0 to 65535';
  if (type === 'number') return `a whole number ${range}`;
  if (detail?.type === 'any.only') return `one of ${allow.join(', ')}`;
  if (detail?.type === 'string.email') return 'an e-mail address';
  if (detail?.type.startsWith('string.uri')) return 'an address such as http://localhost:8080';
  if (detail?.type === 'string.pattern.name') return String(detail.context?.name);
  return `a text of ${range.replace('from ', '')} characters`;
}
