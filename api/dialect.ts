import type { IncomingHttpHeaders } from 'node:http';
import type Koa from 'koa';
import type { Credentials } from '#core/delivery/submitter.ts';
import type { Problem } from './shapes/problem.ts';

/** Format of another API, whose clients are served in it: the place of their key, and the shape of errors. */
export type Dialect = {
  /** First segment of its paths, after `/providers`, unless it has a base of its own. */
  name: string;
  base?: string;
  title: string;
  key: KeyPlace;
  /** Media types of errors: `application/json` where it is missing. */
  errorTypes?: string[];
  /** Header fields of a 429, besides `Retry-After`. */
  throttled?(retrySeconds: number): Record<string, string>;
  /**
   * Makes the answer to a request that is refused as a whole. `path`: that of the request, after the prefix of the dialect.
   * `hasKey`: whether it came with a key, right or wrong.
   */
  refuse(problem: Problem, request: { path: string; hasKey: boolean }): Answer;
};

/** Answer in another format: JSON, a text of the type that a header names, or nothing. */
export type Answer = {
  status: number;
  body: object | string | null;
  headers?: Record<string, string>;
};

export function sendAnswer(ctx: Pick<Koa.Context, 'status' | 'body' | 'set'>, answer: Answer): void {
  const { status, body, headers = {} } = answer;
  ctx.status = status;
  ctx.body = body ?? '';
  ctx.set(headers);
}

/** Returns the path that all paths of a dialect begin with. */
export const baseOf = ({ name, base = `/providers/${name}` }: Pick<Dialect, 'name' | 'base'>) => base;

/** Returns the target of a request after the base of a dialect, and one that does not begin with it as it is. */
export function withinDialect(dialect: Dialect, target: string): string {
  const base = baseOf(dialect);
  return target.startsWith(base) ? target.slice(base.length) : target;
}

/** Place where the clients of a dialect put the API key. */
export type KeyPlace =
  | { in: 'bearer' }
  | { in: 'header'; name: string }
  | { in: 'basic'; part: 'user' | 'password' }
  | { in: 'header-or-password'; name: string }
  | { in: 'aws-signature' };

/** Returns the API key of a request, or null where it has none. */
export function keyOf(place: KeyPlace, headers: IncomingHttpHeaders): string | null {
  const authorization = headers.authorization ?? '';
  switch (place.in) {
    case 'bearer':
      return /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? null;
    case 'header': {
      const value = headers[place.name];
      return typeof value === 'string' && value !== '' ? value : null;
    }
    case 'basic': {
      const { userName, password } = basicOf(headers);
      return (place.part === 'user' ? userName : password) || null;
    }
    case 'header-or-password':
      return keyOf({ ...place, in: 'header' }, headers) ?? keyOf({ in: 'basic', part: 'password' }, headers);
    case 'aws-signature':
      // The signature is not checked: only the hash of a key is stored.
      return accessKeyIdOf(authorization);
  }
}

/** Returns the user name and the password of HTTP Basic, empty where a request has none. */
export function basicOf({ authorization = '' }: IncomingHttpHeaders): Credentials {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const [userName = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return { userName, password: password.join(':') };
}

/** Returns the access key id of an AWS signature: `AWS4-HMAC-SHA256 Credential=<id>/<date>/…, SignedHeaders=…, Signature=…`. */
function accessKeyIdOf(authorization: string): string | null {
  const [algorithm = '', ...parts] = authorization.split(/[\s,]+/);
  const credential = parts.find((part) => /^credential=/i.test(part)) ?? '';
  const [id = '', ...scope] = credential.slice('credential='.length).split('/');
  return /^aws4-/i.test(algorithm) && scope.length > 0 && id !== '' ? id : null;
}

/** Returns the OpenAPI security scheme of a place. */
export function securityScheme(place: KeyPlace): object {
  switch (place.in) {
    case 'bearer':
      return { type: 'http', scheme: 'bearer', description: 'An API key as the token.' };
    case 'header':
      return { type: 'apiKey', in: 'header', name: place.name };
    case 'header-or-password':
      return {
        type: 'http',
        scheme: 'basic',
        description: `An API key as the password, or in ${place.name}.`,
      };
    case 'basic':
      return { type: 'http', scheme: 'basic', description: `An API key as the ${place.part}.` };
    case 'aws-signature':
      return {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description:
          'AWS Signature Version 4 with an API key as the access key id. The signature is not checked.',
      };
  }
}
