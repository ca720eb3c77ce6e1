import { keepApiKey, revokeApiKey } from '#core/access/api-keys.ts';
import { hashSecret, newSecret } from '#core/access/secrets.ts';
import type { Services } from '#core/services.ts';
import { stalled } from './conditions.ts';
import { type ApiKeyEffect, type ApiKeyView, decideApiKey, secretNameOf } from './decide-api-key.ts';
import { lookAgainMs, type Reconciler } from './reconcile.ts';
import { type ApiKeyResource, managerOf } from './resources.ts';
import type { Secrets } from './secrets.ts';
import { ignoreGone, type Tenants } from './tenants.ts';

type Ports = Pick<Services, 'apiKeys' | 'clock'> & {
  tenants: Tenants;
  secrets: Secrets;
  addresses: Record<string, string>;
};

/** Where the key stands in the Secret. */
const keyName = 'SANDPOST_API_KEY';

/** Makes Secrets with keys that work, and revokes those whose ApiKey is gone. */
export function createApiKeyReconciler(ports: Ports): Reconciler<ApiKeyResource, ApiKeyView, ApiKeyEffect> {
  const { secrets, apiKeys, addresses } = ports;
  const keyOfSecret = async (value: string | undefined, manager: string): Promise<ApiKeyView['ofSecret']> => {
    if (value === undefined || !/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return 'malformed';
    const found = await apiKeys.findByHash(hashSecret(value));
    if (found === null) return 'none';
    return found.key.managedBy === manager ? { id: found.key.id } : 'foreign';
  };
  return {
    async gather(resource) {
      const manager = managerOf(resource.metadata);
      const owner = await ports.tenants.find(resource.metadata.namespace);
      const secret = await secrets.read(resource, secretNameOf(resource));
      const all = owner === null ? [] : await apiKeys.listManaged(owner);
      const kept = all.filter(({ managedBy }) => managedBy === manager);
      return {
        resource,
        secret,
        kept,
        ofSecret: await keyOfSecret(secret?.data[keyName], manager),
        addresses,
      };
    },
    decide: decideApiKey,
    async act(effect, { resource, secret }) {
      const name = secretNameOf(resource);
      const value = secret?.data[keyName];
      const owner = await ports.tenants.ensure(resource.metadata.namespace);
      const manager = managerOf(resource.metadata);
      if (effect.do === 'write-secret') {
        const key = effect.value === 'same' && value !== undefined ? value : `sp_${newSecret()}`;
        await secrets.write(resource, name, { ...addresses, [keyName]: key }, secret);
      } else if (effect.do === 'remove-secret') {
        if (secret !== null) await secrets.remove(resource, name, secret);
      } else if (effect.do === 'revoke') {
        await revokeApiKey(ports, owner, effect.id, manager).catch(ignoreGone);
      } else if (value !== undefined) {
        const label = resource.spec.displayName ?? resource.metadata.name;
        await keepApiKey(ports, owner, label, value, manager);
      }
    },
    refused: (_view, refusal) => ({
      do: 'report',
      fields: {},
      findings: stalled('Refused', refusal.message),
      againMs: lookAgainMs,
    }),
  };
}
