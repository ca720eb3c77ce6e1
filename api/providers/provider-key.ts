import type { IncomingHttpHeaders } from 'node:http';

/** Place where a provider's clients put the API key. */
export type KeyPlace =
  | { in: 'bearer' }
  | { in: 'header'; name: string }
  | { in: 'basic'; part: 'user' | 'password' }
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
      const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1] ?? '';
      const [user = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
      const key = place.part === 'user' ? user : password.join(':');
      return key === '' ? null : key;
    }
    case 'aws-signature':
      // The signature is not checked: only the hash of a key is stored.
      return accessKeyIdOf(authorization);
  }
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
      return { type: 'http', scheme: 'bearer', description: 'API key as the token.' };
    case 'header':
      return { type: 'apiKey', in: 'header', name: place.name };
    case 'basic':
      return { type: 'http', scheme: 'basic', description: `API key as the ${place.part}.` };
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
