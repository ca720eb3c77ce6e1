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
 * Successful answer: a value of the core that a shape presents, a JSON body as it is, bytes of some type, nothing (204),
 * another address (303), or one of a dialect, which the handler sends with that status and as one of these types.
 */
export type Success<Answer = unknown> =
  | { description: string; shape: AnswerShape<Answer>; headers?: Record<string, string> }
  | {
      description: string;
      schema: Joi.AnySchema<Answer>;
      /** Other types that the query may ask for. */
      types?: string[];
      /** Status of the same answer where it tells of a failure. */
      failed?: { status: number; description: string };
    }
  | { description: string; contentType: string }
  | { description: string; status: 204 | 303 }
  | { description: string; answered: number; types: string[] };

/** Ids that a path names, each a positive safe integer. */
type Ids<Path extends string> = string extends Path
  ? Record<string, Id>
  : Path extends `${string}{${infer Name}}${infer Rest}`
    ? Record<Name, Id> & Ids<Rest>
    : unknown;

type Access = 'public' | 'identified';

/** Parts of the API that its routes share. */
export type Shared = {
  services: Services;
  streams: EventStreams;
  /** Watches whether a credential has ended. */
  credentials: CredentialWatch;
  /** Slots of requests that send by a provider's API. */
  submissions: FairLimiter;
  /** Slots of bulk changes. */
  bulkChanges: FairLimiter;
};

/** Arguments of an operation, read and validated by the shapes of its route. */
export type Asked = { ids?: Record<string, Id>; query?: unknown; body?: unknown };

/** Request that has been read and validated. */
export type Call<Path extends string, Query, Body, A extends Access> = Shared & {
  ids: Ids<Path>;
  /** Named segments of the path of a dialect, which are no ids. */
  params: Record<string, string>;
  query: Query;
  body: Body;
  caller: A extends 'identified' ? Caller : null;
  ctx: Ctx;
  /** Receives a late body and gives it to `use`. Its bytes count in the budget of bodies until `use` is done. */
  receive<T>(use: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>): Promise<T>;
  /**
   * Performs another operation for the same caller: checks the permission that it needs, gives a change its slot, and returns the answer as
   * it is presented. Throws what a request for the operation would be refused with.
   */
  perform(operation: Route, asked: Asked): Promise<unknown>;
  /** Reads for an answer that is given at once. They show the state at the arrival of the request, or later. */
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
  /** Missing for calls of identified callers alone. */
  access?: A;
  /** Permission that an identified caller needs, where it is not that of the method: `read` for GET, else `write`. */
  permission?: Permission;
  /** Cause of a 403, where a public operation may answer with it. */
  refuses?: string;
  /** Cause of a 409, and the shape of its problem. */
  conflict?: { description: string; schema: Joi.Schema };
  /** Other API whose key and errors this route takes and answers. */
  dialect?: Dialect;
  /** Takes an API key as a bearer token too (RFC 6750). */
  takesBearer?: true;
  /** Shows failures as a page, to clients that prefer HTML. */
  forBrowsers?: true;
  /** Takes any parameters of a query. The handler reads those that it knows. */
  anyQuery?: true;
  query?: RequestShape<Query>;
  body?: RequestShape<Body>;
  /**
   * Body that the handler receives by itself once it knows that it needs it. `limit` bounds its bytes: the one of sending where it is
   * missing. `most` gives their number where it may be lower.
   */
  lateBody?: {
    shape?: RequestShape<unknown>;
    kind?: BodyKind;
    limit?: LimitName;
    most?(config: Config): number;
  };
  success: Success<Answer>;
  /** Returns the value to answer with, or undefined if the handler answers by itself or with nothing. */
  handle(call: Call<Path, Query, Body, A>): Promise<NoInfer<Answer> | JsonSource | undefined>;
};

/** Route without type parameters, for the router and the OpenAPI document. Its types were checked by `route`. */
export type Route = Omit<Declaration<string, unknown, unknown, Access, unknown>, 'handle'> & {
  handle(call: Call<string, unknown, unknown, Access>): Promise<object | undefined>;
};

/** Route with its chapter of the OpenAPI document. */
export type TaggedRoute = Route & { tag: string };

/**
 * Declares a route. Router, validation and OpenAPI document are made from the declaration alone. A path names its ids as
 * `{domain_id}`.
 */
export function route<
  const Path extends string,
  A extends Access = 'identified',
  Query = null,
  Body = null,
  Answer = never,
>(declaration: Declaration<Path, Query, Body, A, Answer>): Route {
  // The router reads ids, query and body by the shapes of this declaration, so that `handle` gets the types that it names.
  return declaration as unknown as Route;
}

/** Makes the function that declares routes of a method. */
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
