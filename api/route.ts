import type Joi from 'joi';
import type { Permission } from '#core/access/caller.ts';
import type { Id } from '#core/ids.ts';
import type { LimitName } from '#core/limits.ts';
import type { Reader } from '#core/store.ts';
import type { FairLimiter } from '#gate/fair-limiter.ts';
import type { Config } from '#setup/config.ts';
import type { Services } from '#setup/services.ts';
import type { Caller, Ctx } from './context.ts';
import type { CredentialWatch } from './credential-watch.ts';
import type { Dialect } from './dialect.ts';
import type { EventStreams } from './event-stream.ts';
import type { JsonSource } from './message-source.ts';
import type { BodyKind } from './middleware/read-body.ts';
import type { RequestShape } from './shapes/request-shape.ts';
import type { AnswerShape } from './shapes/response-shape.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * Successful response: a core value that a shape presents, a JSON body as is, bytes of some type, nothing (204), another address (303),
 * or a dialect's response, which the handler sends with this status and one of these types.
 */
export type Success<Answer = unknown> =
  | { description: string; shape: AnswerShape<Answer>; headers?: Record<string, string> }
  | {
      description: string;
      schema: Joi.AnySchema<Answer>;
      /** Other types that the query may request. */
      types?: string[];
      /** Status of the same response if it reports a failure. */
      failed?: { status: number; description: string };
    }
  | { description: string; contentType: string }
  | { description: string; status: 204 | 303 }
  | { description: string; answered: number; types: string[] };

/** Ids in a path, each a positive safe integer. */
type Ids<Path extends string> = string extends Path
  ? Record<string, Id>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Record<Name, Id> & Ids<Rest>
    : unknown;

type Access = 'public' | 'identified';

/** Parts of the API shared by its routes. */
export type Shared = {
  services: Services;
  streams: EventStreams;
  /** Watches whether credentials have ended. */
  credentials: CredentialWatch;
  /** Slots for requests that send through a provider API. */
  submissions: FairLimiter;
  /** Slots for bulk changes. */
  bulkChanges: FairLimiter;
};

/** Operation arguments, read and validated by the route's shapes. */
export type Asked = { ids?: Record<string, Id>; query?: unknown; body?: unknown };

/** Request after reading and validation. */
export type Call<Path extends string, Query, Body, A extends Access> = Shared & {
  ids: Ids<Path>;
  /** Path segments that a dialect names and that are not ids. */
  params: Record<string, string>;
  query: Query;
  body: Body;
  caller: A extends 'identified' ? Caller : null;
  ctx: Ctx;
  /** Receives a late body and passes it to `use`. Its bytes count against the body budget until `use` is done. */
  receive<T>(use: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>): Promise<T>;
  /**
   * Performs another operation for the same caller: checks the caller's permission, gives a change its slot, and returns the response as
   * presented. Throws the error that would refuse such a request.
   */
  perform(operation: Route, asked: Asked): Promise<unknown>;
  /** Reader for an immediate response. Its reads show the state when the request arrived, or a later state. */
  reader: Reader;
  /** Signal that aborts when the client goes away or the API closes. */
  signal: AbortSignal;
};

export type Declaration<Path extends string, Query, Body, A extends Access, Answer> = {
  method: Method;
  path: Path;
  operationId: string;
  summary: string;
  description?: string;
  /** Absent if the operation accepts only identified callers. */
  access?: A;
  /** Permission that an identified caller needs, if it differs from the method's default: `read` for GET, otherwise `write`. */
  permission?: Permission;
  /** Cause of a 403, if a public operation may respond with one. */
  refuses?: string;
  /** Cause of a 409, and the shape of its problem. */
  conflict?: { description: string; schema: Joi.Schema };
  /** Other API whose key and error format this route uses. */
  dialect?: Dialect;
  /** Accepts an API key as a bearer token too (RFC 6750). */
  takesBearer?: true;
  /** Shows failures as a page to clients that prefer HTML. */
  forBrowsers?: true;
  /** Accepts any query parameters. The handler reads those that it supports. */
  anyQuery?: true;
  query?: RequestShape<Query>;
  body?: RequestShape<Body>;
  /**
   * Body that the handler receives by itself when it needs the body. `limit` restricts the body's bytes. Default: the limit for sending.
   * `most` returns the maximum if it may be lower.
   */
  lateBody?: {
    shape?: RequestShape<unknown>;
    kind?: BodyKind;
    limit?: LimitName;
    most?(config: Config): number;
  };
  success: Success<Answer>;
  /** Returns the response value, or undefined if the handler responds by itself or the response is empty. */
  handle(call: Call<Path, Query, Body, A>): Promise<NoInfer<Answer> | JsonSource | undefined>;
};

/** Route without type parameters, for the router and the OpenAPI document. `route` has checked the route's types. */
export type Route = Omit<Declaration<string, unknown, unknown, Access, unknown>, 'handle'> & {
  handle(call: Call<string, unknown, unknown, Access>): Promise<object | undefined>;
};

/** Route with its chapter in the OpenAPI document. */
export type TaggedRoute = Route & { tag: string };

/**
 * Declares a route. The router, the validation and the OpenAPI document are all derived from the declaration. A path names its ids like
 * `{domain_id}`.
 */
export function route<
  const Path extends string,
  A extends Access = 'identified',
  Query = null,
  Body = null,
  Answer = never,
>(declaration: Declaration<Path, Query, Body, A, Answer>): Route {
  // The router reads ids, query and body by this declaration's shapes, so `handle` receives the declared types.
  return declaration as unknown as Route;
}

/** Creates the function that declares a method's routes. */
const declaring =
  (method: Method) =>
  <const Path extends string, A extends Access = 'identified', Query = null, Body = null, Answer = never>(
    declaration: Omit<Declaration<Path, Query, Body, A, Answer>, 'method'>,
  ): Route =>
    route({ ...declaration, method });

export const get = declaring('get');
export const post = declaring('post');
export const put = declaring('put');
export const del = declaring('delete');
