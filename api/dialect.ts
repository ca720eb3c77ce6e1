import type { IncomingHttpHeaders } from 'node:http';
import type Koa from 'koa';
import type { Credentials } from '#core/delivery/submitter.ts';
import type { Problem } from './shapes/problem.ts';

/** Format of another API whose clients are supported: where its clients put the key, and what errors look like. */
export type Dialect = {
  /** First segment of the dialect's paths, after `/providers`, unless the dialect has its own base. */
  name: string;
  base?: string;
  title: string;
  key: KeyPlace;
  /** Media types of errors. Default: `application/json`. */
  errorTypes?: string[];
  /** Header fields of a 429, besides `Retry-After`. */
  throttled?(retrySeconds: number): Record<string, string>;
  /**
   * Creates the response to a request that is refused as a whole. `path`: the request's path, after the dialect's prefix. `hasKey`:
   * whether the request had a key, valid or not.
   */
  refuse(problem: Problem, request: { path: string; hasKey: boolean }): Answer;
};

/** Response in another format: JSON, text of the type that a header names, or nothing. */
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

/** Returns the common prefix of a dialect's paths. */
export const baseOf = ({ name, base = `/providers/${name}` }: Pick<Dialect, 'name' | 'base'>) => base;

/** Returns the part of a request's target after the dialect's base, or the target unchanged if it does not begin with the base. */
export function withinDialect(dialect: Dialect, target: string): string {
  const base = baseOf(dialect);
  return target.startsWith(base) ? target.slice(base.length) : target;
}

/** Place where a dialect's clients put the API key. */
export type KeyPlace =
  | { in: 'bearer' }
  | { in: 'header'; name: string }
  | { in: 'basic'; part: 'user' | 'password' }
  | { in: 'header-or-password'; name: string }
  | { in: 'aws-signature' };

/** Returns a request's API key, or null if it has none. */
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
      // The signature is not checked because Sandpost stores only a key's hash.
      return accessKeyIdOf(authorization);
  }
}

/** Returns the user name and password of HTTP Basic, or empty strings if a request has none. */
export function basicOf({ authorization = '' }: IncomingHttpHeaders): Credentials {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const [userName = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return { userName, password: password.join(':') };
}

/** Returns the access key id from an AWS signature: `AWS4-HMAC-SHA256 Credential=<id>/<date>/…, SignedHeaders=…, Signature=…`. */
function accessKeyIdOf(authorization: string): string | null {
  const [algorithm = '', ...parts] = authorization.split(/[\s,]+/);
  const credential = parts.find((part) => /^credential=/i.test(part)) ?? '';
  const [id = '', ...scope] = credential.slice('credential='.length).split('/');
  return /^aws4-/i.test(algorithm) && scope.length > 0 && id !== '' ? id : null;
}

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
