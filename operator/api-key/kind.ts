import { changeKey } from '#core/access/key-changes.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { kindOfManager, managerOf } from '../manager.ts';
import { audited } from '../objects.ts';
import type { View } from '../reconcile.ts';
import { actOnKey, isOfKey } from '../repairs.ts';
import { keyObjects, keyStateOf, storeKey } from '../secret-keys.ts';
import type { Secrets } from '../secrets.ts';
import { type ApiKeyEffect, decideApiKey, refusedKey } from './decide.ts';
import { entriesOf, usesAddress } from './entries.ts';
import type { ApiKeyResource, ApiKeyView } from './view.ts';

type Ports = Pick<Services, 'rows' | 'apiKeys' | 'accounts' | 'auditLog' | 'log' | 'clock' | 'config'> & {
  secrets: Secrets;
};

export function createApiKeyKind(services: Services, secrets: Secrets): Kind {
  const ports = { ...services, secrets };
  return defineKind<ApiKeyResource, ApiKeyView, ApiKeyEffect>({
    name: 'ApiKey',
    plural: 'apikeys',
    dependsOn: ({ spec }) => (usesAddress(spec) ? 'Account' : null),
    reconciler: {
      identity: ['secretName'],
      gather: (known) => gather(ports, known),
      decide: decideApiKey,
      act: (effect, view) => act(ports, effect, view),
      refused: refusedKey,
    },
    objects: [keyObjects(services, 'ApiKey')],
  });
}

/** Reads the key's state. Before a key is created, also checks whether the team may have another key. */
async function gather(ports: Ports, known: View<ApiKeyResource>): Promise<ApiKeyView> {
  const { rows, accounts, clock } = ports;
  const { resource, owner } = known;
  const view: ApiKeyView = {
    ...known,
    ...(await keyStateOf(ports, known, managerOf(resource.metadata))),
    address: owner !== null && usesAddress(resource.spec) ? await addressOf(accounts, owner) : null,
    hasRoom: true,
    now: clock(),
  };
  const step = decideApiKey(view);
  if (owner === null || step.do !== 'write-secret' || step.value !== 'new') return view;
  const { total } = await rows.list('apiKeys', { team: owner }, { page: 1, limit: 1 });
  return { ...view, hasRoom: total < limits.owned.apiKeys };
}

/** Number of accounts to read at a time. */
const pageSize = 50;

const isWildcard = (address: string) => address.startsWith('*@');

/** Finds the address of the capture account, or else of the oldest account. Ignores wildcards and Inboxes' accounts. */
export async function addressOf(
  accounts: Pick<AccountStore, 'list' | 'findCapture'>,
  owner: Id,
): Promise<string | null> {
  const capture = await accounts.findCapture(owner);
  if (capture !== null && !isWildcard(capture)) return capture;
  for (let page = 1; ; page++) {
    const { items } = await accounts.list(owner, {}, { page, limit: pageSize });
    const found = items.find(
      ({ address, managedBy }) => !isWildcard(address) && kindOfManager(managedBy) === null,
    );
    if (found !== undefined || items.length < pageSize) return found?.address ?? null;
  }
}

/** Writes or removes the Secret, or stores, changes or revokes a key. */
async function act(ports: Ports, effect: ApiKeyEffect, view: ApiKeyView & { owner: Id }): Promise<void> {
  const { owner, resource, secret } = view;
  const manager = managerOf(resource.metadata);
  if (isOfKey(effect)) await actOnKey(ports, effect, view, manager, (key) => entriesOf(view, key));
  else if (effect.do === 'change-key') {
    const { id: key, set } = effect;
    const change = ports.rows.change(changeKey, { team: owner, key, manager, set });
    await audited(ports, owner, 'api_key.changed', change, ({ name }) => name);
  } else {
    const label = resource.spec.displayName ?? resource.metadata.name;
    const wanted = { name: label, ...effect.powers, createdBy: null, managedBy: manager };
    await storeKey(ports, owner, wanted, secret);
  }
}
