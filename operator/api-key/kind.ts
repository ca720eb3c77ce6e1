import { revokeApiKey } from '#core/access/api-keys.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { ignoreNotFound } from '../failures.ts';
import { defineKind, type Kind, type StoredObject } from '../kind.ts';
import { type NotePorts, noted } from '../notes.ts';
import type { ApiClient } from '../runtime/api-client.ts';
import { actOnApiKey } from './act.ts';
import { type ApiKeyEffect, type ApiKeyView, apiKeyRefused, decideApiKey } from './decide.ts';
import { gatherApiKey } from './gather.ts';
import type { ApiKeyResource } from './resource.ts';
import { createSecrets } from './secrets.ts';

type Ports = NotePorts & Pick<Services, 'apiKeys' | 'config'>;

const page = { page: 1, limit: 200 };

export function createApiKeyKind(services: Ports, client: Pick<ApiClient, 'core'>): Kind {
  const { apiKeys, auditLog, log, clock, config } = services;
  const ports = { apiKeys, auditLog, log, clock, config, secrets: createSecrets(client) };
  const revoke = (owner: Id, id: Id, managedBy: string | null) =>
    noted(ports, owner, 'api_key.revoked', revokeApiKey(ports, owner, id, managedBy), ({ name }) => name);
  return defineKind<ApiKeyResource, ApiKeyView, ApiKeyEffect>({
    name: 'ApiKey',
    plural: 'apikeys',
    managedKind: 'api-key',
    nameOf: () => null,
    domainOf: () => null,
    reconciler: {
      gather: (resource, owner) => gatherApiKey(ports, resource, owner),
      decide: decideApiKey,
      act: (effect, view) => actOnApiKey(ports, effect, view),
      refused: apiKeyRefused,
    },
    objects: {
      async list(owners) {
        const objects: StoredObject[] = [];
        for (const owner of owners) {
          for (const { id, managedBy } of await apiKeys.listManaged(owner)) {
            objects.push({ owner, id, managedBy, name: null });
          }
        }
        return objects;
      },
      remove: ({ owner, id, managedBy }) => revoke(owner, id, managedBy),
      async removeAll(owner) {
        for (;;) {
          const { items } = await apiKeys.list(owner, page);
          if (items.length === 0) return;
          for (const { id, managedBy } of items) await revoke(owner, id, managedBy).catch(ignoreNotFound);
        }
      },
      poll: null,
    },
  });
}
