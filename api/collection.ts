import { audit, found } from '#api/context.ts';
import { type Call, type Declaration, type Route, route, type Success } from '#api/route.ts';
import type { RequestShape } from '#api/shapes/request-shape.ts';
import { type AnswerShape, deletion } from '#api/shapes/response-shape.ts';
import type { AuditAction } from '#core/teams/audit-log.ts';

/** Operation of a collection. `audit` makes its entry in the audit log of the team. */
type Act<Path extends string, Query, Body, Answer> = Pick<
  Declaration<Path, Query, Body, 'identified', unknown>,
  'summary' | 'description' | 'permission' | 'query' | 'body'
> & {
  run(call: Call<Path, Query, Body, 'identified'>): Promise<Answer>;
  audit?(answer: NoInfer<Answer>): [AuditAction, target: string];
};

type Answered<T> = { description: string; shape: AnswerShape<T> };

/** Collection of a team. `noun` names it in operation ids, for one and for several. */
type Collection<Path extends string, Id extends string, Query, Creation, Update, Item, Items, Gone> = {
  noun: [one: string, several: string];
  path: Path;
  id: Id;
  success: Answered<Item>;
  list: Act<Path, Query, null, Items> & { query: RequestShape<Query>; success: Answered<Items> };
  create?: Act<Path, null, Creation, Item> & { body: RequestShape<Creation> };
  get?: Omit<Act<`${Path}/{${Id}}`, null, null, Item | null>, 'audit'>;
  update?: Act<`${Path}/{${Id}}`, null, Update, Item> & { body: RequestShape<Update> };
  /** Other operations on an item. */
  more?: Route[];
  delete: Act<`${Path}/{${Id}}`, null, null, Gone> & { gone?: string };
};

/** Declares the operations on a collection and on its items. An item that `get` does not find is answered with 404. */
export function collection<
  const Path extends string,
  const Id extends string,
  Query,
  Creation,
  Update,
  Item,
  Items,
  Gone,
>(declared: Collection<Path, Id, Query, Creation, Update, Item, Items, Gone>): Route[] {
  const { noun, path, id, success, list, create, get, update, more = [], delete: remove } = declared;
  const [one, several] = noun;
  const item = `${path}/{${id}}` as const;
  const { gone = 'It is gone' } = remove;
  return [
    operation('get', path, `list${several}`, list, list.success),
    ...(create ? [operation('post', path, `create${one}`, create, success)] : []),
    ...(get
      ? [
          operation(
            'get',
            item,
            `get${one}`,
            { ...get, run: async (call) => found(await get.run(call)) },
            success,
          ),
        ]
      : []),
    ...(update ? [operation('patch', item, `update${one}`, update, success)] : []),
    ...more,
    operation('delete', item, `delete${one}`, remove, { description: gone, shape: deletion }),
  ];
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
      if (entryOf !== undefined) await audit(call, ...entryOf(answer));
      return answer;
    },
  });
}
