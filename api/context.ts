import type Koa from 'koa';
import type { Caller as KnownCaller } from '#core/access/caller.ts';
import type { Reader } from '#core/store.ts';
import type { Dialect } from './dialect.ts';

/**
 * Proof of the caller's identity: an API key, the secret of a web session, or, for `sandpost dev`, that the request comes from
 * this machine.
 */
export type Credential = { key: string } | { session: string } | { local: true };

/** `keyName`: name of the API key, also of the one that a session was made with, or null for another credential. */
export type Caller = KnownCaller & { credential: Credential; keyName: string | null };

/** State of a request, shared by middlewares and handlers. */
export type State = {
  requestId: string;
  /** Arrival time, by `performance.now()`. */
  arrivedAt: number;
  /** Reads of this request. */
  reader: Reader;
  /** Path template of the route, for logs and metrics. Never the path itself. */
  route: string;
  caller: Caller | null;
  /** Other API in whose format the request is taken, and answered. */
  dialect?: Dialect;
  /** Mark of a route that shows its failures as a page. */
  forBrowsers?: boolean;
  /**
   * Text that changes whenever the answer's bytes change, apart from the program and its base URL. Set if it is shorter than
   * they are.
   */
  revision?: string;
};

export type Ctx = Koa.ParameterizedContext<State>;
export type Next = () => Promise<void>;
export type Handler = (ctx: Ctx, next: Next) => Promise<void>;
