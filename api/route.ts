import type Joi from 'joi';
import type { Config } from '#core/config.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#core/services.ts';
import type { Caller, Ctx } from './context.ts';
import type { RequestShape } from './shapes/request-shape.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What a success is: a JSON body, bytes of some type, or nothing (204). */
export type Success =
  | { description: string; shape: Joi.Schema; headers?: Record<string, string> }
  | { description: string; contentType: string }
  | { description: string; status: 204 };

/** The ids that a path names, each a positive safe integer. */
type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, Id> & Ids<Rest>
  : unknown;

type Access = 'public' | 'identified';

/** One request, read and checked. */
export type Call<Path extends string, Query, Body, A extends Access> = {
  services: Services;
  ids: Ids<Path>;
  query: Query;
  body: Body;
  caller: A extends 'identified' ? Caller : null;
  ctx: Ctx;
  /** Receives a late body and gives it to `use`; its bytes count as under way until that is done. */
  receive<T>(use: (bytes: Uint8Array) => Promise<T>): Promise<T>;
  /** When it came, by `performance.now()`: an answer as of then is new enough. */
  asked: number;
  /** Aborted when the client goes away or the API closes. */
  signal: AbortSignal;
};

type Declaration<Path extends string, Query, Body, A extends Access> = {
  method: Method;
  path: Path;
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  access: A;
  query?: RequestShape<Query>;
  body?: RequestShape<Body>;
  /** A body that the handler receives by itself, once it knows that it needs it, and the bytes that it may have. */
  lateBody?: { shape: RequestShape<unknown>; most(config: Config): number };
  success: Success;
  /** Gives the JSON body; a handler that answers by itself, or with nothing, gives undefined. */
  handle(call: Call<Path, Query, Body, A>): Promise<object | undefined>;
};

/** A route whose types are checked and forgotten, as the router and the OpenAPI document take it. */
export type Route = Omit<Declaration<string, unknown, unknown, Access>, 'handle'> & {
  handle(call: Call<string, unknown, unknown, Access>): Promise<object | undefined>;
};

/**
 * Declares a route: the router, the validation and the OpenAPI document are made from this and nothing else. A path names
 * its ids as `{domain_id}`.
 */
export function route<const Path extends string, A extends Access, Query = null, Body = null>(
  declaration: Declaration<Path, Query, Body, A>,
): Route {
  // The router reads ids, query and body by the shapes of this very declaration: what `handle` gets is what it names.
  return declaration as unknown as Route;
}
