import type Koa from 'koa';
import type { Caller as KnownCaller } from '#core/access/caller.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Reader } from '#core/store.ts';
import type { AuditAction } from '#core/teams/audit-log.ts';
import { recordAction } from '#core/teams/record-action.ts';
import type { Services } from '#setup/services.ts';
import type { Dialect } from './dialect.ts';

/**
 * Proof of the caller's identity: an API key, a web session's secret or, for `sandpost dev`, the fact that the request comes from this
 * machine.
 */
export type Credential = { key: string } | { session: string } | { local: true };

/** `keyName`: name of the API key, or of the key that created the session. Null for any other credential. */
export type Caller = KnownCaller & { credential: Credential; keyName: string | null };

/** State of a request, shared by middlewares and handlers. */
export type State = {
  requestId: string;
  /** Arrival time, by `performance.now()`. */
  arrivedAt: number;
  /** Reads for this request. */
  reader: Reader;
  /** Path template of the route, for logs and metrics. Never the path itself. */
  route: string;
  caller: Caller | null;
  /** Other API whose request and response format is used. */
  dialect?: Dialect;
  /** Party that a response counts for if there is no caller. A share link names the party that is charged for it. */
  party?: Id;
  /** Set for a route that also accepts an API key as a bearer token. */
  takesBearer?: boolean;
  /** Set for a route that shows its failures as a page. */
  forBrowsers?: boolean;
  /**
   * Text that changes whenever the response's bytes change, apart from the program and its base URL. Set if the text is shorter than the
   * bytes.
   */
  revision?: string;
};

export type Ctx = Koa.ParameterizedContext<State>;
export type Next = () => Promise<void>;
export type Handler = (ctx: Ctx, next: Next) => Promise<void>;

/** Returns the party that a response counts for, or null. */
export function partyOf({ state: { caller, party } }: Ctx): Id | null {
  return caller?.userId ?? party ?? null;
}

/** Returns the caller as the audit log names it. */
function actorOf({ user, keyName }: Caller, ctx: Ctx): { name: string; remoteAddress: string } {
  return { name: user?.email ?? `API key ${keyName}`, remoteAddress: ctx.ip };
}

/** Audit log entry of an action, by default for the request's team. */
export type AuditedAction = [
  action: AuditAction,
  target: string,
  teams?: Id | Id[],
  options?: { ofOthers?: boolean },
];

/** Writes a request's action to the audit logs. */
export function audit(
  { services, caller, ctx }: { services: Services; caller: Caller; ctx: Ctx },
  ...[action, target, teams = caller.team, options = {}]: AuditedAction
): Promise<void> {
  return recordAction(services, teams, actorOf(caller, ctx), action, target, options);
}

/** Words for the objects of path ids, if they differ from the id's name. */
const nouns: Record<string, string> = { token: 'API key', user: 'member', failure: 'failure rule' };

/**
 * Adds a message to the error for a path with a part that does not exist or belongs to another team: `No mailbox in this account has this
 * id`. The message contains no ids, so both cases get the same response. Returns other errors unchanged.
 */
export function namedIn(path: string, error: unknown): unknown {
  if (!(error instanceof NotFound) || error.message !== '') return error;
  const names = [...path.matchAll(/\{(\w+)_id\}/g)].map(([, name = '']) => nouns[name] ?? name).reverse();
  const [missing, ...around] = names;
  if (missing === undefined) return new NotFound();
  return new NotFound(`No ${missing}${around.map((name) => ` in this ${name}`).join('')} has this id`);
}
