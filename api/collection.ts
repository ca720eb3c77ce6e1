import { found } from '#core/errors.ts';
import type { Page, Slice } from '#core/page.ts';
import { type AuditedAction, audit } from './context.ts';
import { type Call, type Declaration, type Route, route, type Success } from './route.ts';
import { listShape, pageQuery } from './shapes/page.ts';
import type { RequestShape } from './shapes/request-shape.ts';
import { deletion, type ObjectShape } from './shapes/response-shape.ts';

/** Collection operation. `audit` creates its entry in the audit log. */
type Act<Path extends string, Query, Body, Answer> = Pick<
  Declaration<Path, Query, Body, 'identified', unknown>,
  'summary' | 'description' | 'permission' | 'query' | 'body'
> & {
  run(call: Call<Path, Query, Body, 'identified'>): Promise<Answer>;
  audit?(answer: NoInfer<Answer>, call: Call<Path, Query, Body, 'identified'>): AuditedAction | null;
};

/** Collection of a team. `noun` is its singular and plural name in operation ids, and `words` in descriptions. */
type Collection<Path extends string, Id extends string, Query, Creation, Made, Update, Item, Wired, Gone> = {
  noun: [one: string, several: string];
  words?: [one: string, several: string];
  path: Path;
  id: Id;
  shape: ObjectShape<Item, Wired>;
  /** List operation. If it has no query of its own, it accepts a page query without filters. */
  list: Act<Path, Query, null, Slice<Item>>;
  create?: Act<Path, null, Creation, Made> & { body: RequestShape<Creation>; success?: Success<Made> };
  get?: Omit<Act<`${Path}/{${Id}}`, null, null, Item | null>, 'audit'>;
  update?: Act<`${Path}/{${Id}}`, null, Update, Item> & { body: RequestShape<Update> };
  /** Other operations. */
  more?: Route[];
  delete?: Act<`${Path}/{${Id}}`, null, null, Gone> & { success?: Success<Gone> };
};

/** Declares the operations on a collection and on its items. The response is 404 if `get` does not find an item. */
export function collection<
  const Path extends string,
  const Id extends string,
  Creation,
  Update,
  Item,
  Wired,
  Gone,
  Query = Page,
  Made = Item,
>(declared: Collection<Path, Id, Query, Creation, Made, Update, Item, Wired, Gone>): Route[] {
  const { noun, path, id, shape, list, create, get, update, more = [], delete: remove } = declared;
  const [one, several] = noun;
  const { words: [word, words] = [one.toLowerCase(), several.toLowerCase()] } = declared;
  const item = `${path}/{${id}}` as const;
  const page = { description: `A page of ${words}`, shape: listShape(shape) };
  const success = { description: `The ${word}`, shape };
  const gone = { description: 'Deleted', shape: deletion };
  // A list that has no query of its own uses the page query, which is its type's default.
  const query = list.query ?? (pageQuery as RequestShape<Query>);
  const made = create?.success ?? (success as unknown as Success<Made>);
  return [
    operation('get', path, `list${several}`, { ...list, query }, page),
    create && operation('post', path, `create${one}`, create, made),
    get &&
      operation(
        'get',
        item,
        `get${one}`,
        { ...get, run: async (call) => found(await get.run(call)) },
        success,
      ),
    update && operation('patch', item, `update${one}`, update, success),
    ...more,
    remove && operation('delete', item, `delete${one}`, remove, remove.success ?? gone),
  ].filter((declared) => declared !== undefined);
}

function operation<Path extends string, Query, Body, Answer>(
  method: Declaration<Path, Query, Body, 'identified', Answer>['method'],
  path: Path,
  operationId: string,
  { run, audit: entryOf, ...act }: Act<Path, Query, Body, Answer>,
  success: Success<Answer>,
): Route {
  return route<Path, 'identified', Query, Body, Answer>({
    ...act,
    method,
    path,
    operationId,
    success,
    async handle(call) {
      const answer = await run(call);
      const entry = entryOf?.(answer, call) ?? null;
      if (entry !== null) await audit(call, ...entry);
      return 'status' in success ? undefined : answer;
    },
  });
}
