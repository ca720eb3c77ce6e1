import { keepApiKey, revokeApiKey } from '#core/access/api-keys.ts';
import { newSecret } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { ignoreNotFound } from '../failures.ts';
import { managerOf } from '../manager.ts';
import { type NotePorts, noted } from '../notes.ts';
import type { ApiKeyEffect, ApiKeyView } from './decide.ts';
import { powersOf, secretNameOf } from './resource.ts';
import { keyEntry, type Secrets } from './secrets.ts';

type Ports = NotePorts & Pick<Services, 'apiKeys'> & { secrets: Secrets };

/** Writes or removes the Secret, or stores or revokes a key. */
export async function actOnApiKey(
  ports: Ports,
  effect: ApiKeyEffect,
  { owner, resource, secret, addresses }: ApiKeyView & { owner: Id },
): Promise<void> {
  const { secrets } = ports;
  const name = secretNameOf(resource);
  const value = secret?.data[keyEntry];
  const manager = managerOf(resource.metadata);
  if (effect.do === 'write-secret') {
    const key = effect.value === 'same' && value !== undefined ? value : `sp_${newSecret()}`;
    await secrets.write(resource, name, { ...addresses, [keyEntry]: key }, secret);
  } else if (effect.do === 'inherit-secret') {
    if (secret !== null) await secrets.inherit(resource, name, secret);
  } else if (effect.do === 'remove-secret') {
    if (secret !== null) await secrets.remove(resource, name, secret);
  } else if (effect.do === 'revoke-key') {
    const revocation = revokeApiKey(ports, owner, effect.id, manager);
    await noted(ports, owner, 'api_key.revoked', revocation, ({ name }) => name).catch(ignoreNotFound);
  } else if (value !== undefined) {
    const label = resource.spec.displayName ?? resource.metadata.name;
    const wanted = { name: label, ...powersOf(resource), createdBy: null, managedBy: manager };
    const key = keepApiKey(ports, owner, wanted, value);
    await noted(ports, owner, 'api_key.created', key, ({ name }) => name);
  }
}
