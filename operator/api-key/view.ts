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

/** Calls that a key may make, and its end; null for a key without one. */
export type Powers = Pick<ApiKey, 'scope' | 'expiresAt'>;

export type ApiKeyView = View<ApiKeyResource> &
  KeyState & {
    /** Address of an account of the namespace; null without one, and where the template does not use it. */
    address: string | null;
    /** False where the team has as many keys as it may have. Known before a new key is written to the Secret. */
    hasRoom: boolean;
    now: Date;
  };
