import type Koa from 'koa';
import type { User } from '#core/access/access.ts';

/** What proves who is calling. */
export type Credential = { key: string } | { session: string };

export type Caller = User & { credential: Credential };

/** What the middlewares know of a request. */
export type State = {
  requestId: string;
  /** When it came, by `performance.now()`. */
  asked: number;
  /** The path template that was reached, for logs and metrics; never the path itself. */
  route: string;
  caller: Caller | null;
  /** All that the bytes of the answer depend on, but for the program and its base URL, where that is less than they are. */
  revision?: string;
};

export type Ctx = Koa.ParameterizedContext<State>;
export type Next = () => Promise<void>;
export type Handler = (ctx: Ctx, next: Next) => Promise<void>;
