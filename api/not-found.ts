import { NotFound } from '#core/errors.ts';

/** Words for what the ids of paths name, where they differ from the name of the id. */
const nouns: Record<string, string> = { token: 'API key', user: 'member', failure: 'failure rule' };

/**
 * Gives a message to the error for a path of which some part does not exist or belongs to another team: `There is no mailbox with
 * this id in this account`. The message has no ids, so that the two cases are answered alike. Returns other errors unchanged.
 */
export function namedIn(path: string, error: unknown): unknown {
  if (!(error instanceof NotFound) || error.message !== '') return error;
  const names = [...path.matchAll(/\{(\w+)_id\}/g)].map(([, name = '']) => nouns[name] ?? name).reverse();
  const [missing, ...around] = names;
  if (missing === undefined) return new NotFound();
  return new NotFound(
    `There is no ${missing} with this id${around.map((name) => ` in this ${name}`).join('')}`,
  );
}
