import type { ApiKey } from '#core/access/access.ts';
import type { ApiKeyResource, ApiKeyView } from '#operator/api-key/view.ts';
import { apiGroup } from '#operator/group.ts';
import type { SecretView } from '#operator/secrets.ts';

/** Time of all views. */
export const at = new Date('2026-11-21T10:00:00Z');

export const resource = (
  metadata: object = {},
  spec: Partial<ApiKeyResource['spec']> = {},
): ApiKeyResource => ({
  apiVersion: 'sandpost.dev/v1alpha1',
  kind: 'ApiKey',
  metadata: {
    ...{ namespace: 'qa', name: 'ci', uid: 'u', resourceVersion: '1', generation: 1 },
    ...{ finalizers: [apiGroup.finalizer], ...metadata },
  },
  spec: { scope: 'full', ...spec },
});

export const key = (id: number, words: Partial<ApiKey> = {}): ApiKey => ({
  ...{ id, owner: 1, name: 'ci', prefix: 'sp_', managedBy: 'qa/ci', createdAt: at, lastUsedAt: null },
  ...{ scope: 'full', accountIds: null, expiresAt: null, createdBy: null, ...words },
});
export const addresses = { SANDPOST_URL: 'http://a', SANDPOST_SMTP_HOST: 'smtp', SANDPOST_SMTP_PORT: '25' };
const value = 'sp_x';
/** Entries that each Secret has. */
export const entries = {
  ...addresses,
  ...{ SANDPOST_API_KEY: value, SANDPOST_SMTP_USERNAME: 'apikey', SANDPOST_SMTP_PASSWORD: value },
  ...{ type: 'smtp', provider: 'sandpost', host: 'smtp', port: '25', username: 'apikey', password: value },
  uri: 'smtp://apikey:sp_x@smtp:25',
};
export const secret = (words: Partial<SecretView> = {}): SecretView => {
  const data = words.data ?? entries;
  const written = words.written ?? Object.keys(data);
  return {
    isOurs: true,
    isInherited: false,
    isLabelled: true,
    references: [],
    recorded: new Set(Object.keys(entries)),
    revision: '1',
    uid: 's',
    ...words,
    data,
    written,
  };
};
export const view = (words: Partial<ApiKeyView> = {}): ApiKeyView => ({
  resource: resource(),
  owner: 1,
  secret: secret(),
  storedKeys: [key(3)],
  keyInSecret: { id: 3 },
  addresses,
  address: null,
  hasRoom: true,
  pace: { repairs: 0, pauseMs: 0 },
  now: at,
  lacking: [],
  ...words,
});

/** Status of a resource after its spec with these fields took effect. */
export const applied = (generation: number, fields: string[]) => ({
  observedGeneration: 1,
  applied: { generation, fields },
});
