import { revokeApiKey } from '#core/access/api-keys.ts';
import type { Services } from '#core/services.ts';
import { defineKind, type Kind, type StoredObject } from '../kind.ts';
import type { ApiClient } from '../runtime/api-client.ts';
import { actOnApiKey } from './act.ts';
import { type ApiKeyEffect, type ApiKeyView, apiKeyRefused, decideApiKey } from './decide.ts';
import { gatherApiKey } from './gather.ts';
import type { ApiKeyResource } from './resource.ts';
import { createSecrets } from './secrets.ts';

type Ports = Pick<Services, 'apiKeys' | 'clock' | 'config'>;

const page = { page: 1, limit: 200 };

export function createApiKeyKind(services: Ports, client: Pick<ApiClient, 'core'>): Kind {
  const { apiKeys, clock, config } = services;
  const ports = { apiKeys, clock, config, secrets: createSecrets(client) };
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
      async remove({ owner, id, managedBy }) {
        await revokeApiKey(ports, owner, id, managedBy);
      },
      async removeAll(owner) {
        for (;;) {
          const { items } = await apiKeys.list(owner, page);
          if (items.length === 0) return;
          for (const { id } of items) await apiKeys.remove(owner, id);
        }
      },
      poll: null,
    },
  });
}
