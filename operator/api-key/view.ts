import type { ApiKey, KeyScope } from '#core/access/access.ts';
import type { View } from '../reconcile.ts';
import type { ResourceOf } from '../runtime/resource.ts';
import type { KeyState } from '../secret-keys.ts';

/** ApiKey resource: one API key and the Secret that contains it. */
export type ApiKeyResource = ResourceOf<
  'ApiKey',
  {
    secretName?: string;
    displayName?: string;
    scope?: KeyScope;
    expiresAt?: string;
    rotateAfter?: string;
    template?: Record<string, string>;
  },
  {
    tokenId?: number;
    secretName?: string;
    scope?: KeyScope;
    expiresAt?: string;
    rotatesAt?: string;
    previousTokenId?: number;
    previousExpiresAt?: string;
  }
>;

/** Calls that a key may make (scope), and its expiration, or null if the key does not expire. */
export type Powers = Pick<ApiKey, 'scope' | 'expiresAt'>;

export type ApiKeyView = View<ApiKeyResource> &
  KeyState & {
    /** Address of an account in the namespace, or null if the namespace has no account or the template does not use the address. */
    address: string | null;
    /** False if the team has reached its maximum number of keys. Checked before a new key is written to the Secret. */
    hasRoom: boolean;
    now: Date;
  };
