import { createAccount } from '#core/accounts/create-account.ts';
import type { Domain } from '#core/domains/domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import { listMessages } from '#core/messages/list-messages.ts';
import type { Services } from '#setup/services.ts';
import { accountObjects, removeAccount } from '../accounts.ts';
import { defineKind, type Kind } from '../kind.ts';
import { managerOfOtherKind } from '../manager.ts';
import { isNewAt } from '../missing-domain.ts';
import { ignoreNotFound } from '../objects.ts';
import { type ResourceReader, refused, type View } from '../reconcile.ts';
import { actOnKey, isOfKey } from '../repairs.ts';
import { policyOf, setPolicy } from '../retention.ts';
import { isDeleted } from '../runtime/resource.ts';
import { keyObjects, keyStateOf, storeKey } from '../secret-keys.ts';
import type { Secrets } from '../secrets.ts';
import {
  addressOf,
  decideInbox,
  entriesOf,
  type InboxEffect,
  type InboxResource,
  type InboxView,
  localPartOf,
  withAccount,
} from './decide.ts';

type Ports = Services & { secrets: Secrets };

const name = 'Inbox';
/** Number of newest messages that are searched for a code and a link. */
const newest = { page: 1, limit: 20 };

export function createInboxKind(services: Services, secrets: Secrets): Kind {
  const ports = { ...services, secrets };
  return defineKind<InboxResource, InboxView, InboxEffect>({
    name,
    plural: 'inboxes',
    isOptional: true,
    // A later Inbox with the same name has a different UID, so it stands for different objects.
    nameOf: localPartOf,
    dependsOn: () => 'Domain',
    reconciler: {
      identity: ['domain', 'addressPrefix', 'secretName'],
      gather: (known, resources) => gather(ports, known, resources),
      decide: decideInbox,
      act: (effect, view) => act(ports, effect, view),
      refused: (view, refusal) => withAccount(view, refused(refusal)),
    },
    objects: [
      accountObjects(services, name, ({ id, usedBytes, fullAt }) => [id, usedBytes, fullAt]),
      keyObjects(services, name),
    ],
  });
}

/** Reads an Inbox's Secret, account and keys, and the newest mail in the account. */
async function gather(
  ports: Ports,
  known: View<InboxResource>,
  resources: ResourceReader,
): Promise<InboxView> {
  const { resource, owner } = known;
  const { rows, accounts, clock } = ports;
  const manager = managerOfOtherKind(resource);
  const view = {
    ...{ ...known, ...(await keyStateOf(ports, known, manager)), isNew: isNewAt(resource, clock()) },
    ...{ domain: null, account: null, isMarked: false, found: [] },
  };
  if (owner === null) return view;
  const domain = await findDomain(ports, resource, owner, resources);
  const address = domain === null ? resource.status?.address : addressOf(resource, domain.name);
  const filter = { address: address ?? '' };
  const { items } = await accounts.list(owner, filter, { page: 1, limit: 1 });
  const account = items.find(({ managedBy }) => managedBy === manager) ?? null;
  const state = { ...view, domain, account };
  if (account === null || isDeleted(resource)) return state;
  const isMarked = (await policyOf(rows, { owner, kind: 'account', id: account.id })) === 'Retain';
  const { items: found } = await listMessages(ports, owner, { accountId: account.id }, {}, newest, {
    look: true,
  });
  return { ...state, isMarked, found };
}

/** Name of a resource. Dots are not allowed, because they could change a path in the Kubernetes API. */
const resourceName = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * Finds the domain that a spec names, either by the domain's own name or by the name of its Domain resource. Does not find other
 * namespaces' domains.
 */
async function findDomain(
  { rows }: Ports,
  { spec, metadata }: InboxResource,
  owner: Id,
  resources: ResourceReader,
): Promise<Domain | null> {
  const named = await rows.read('domain', { team: owner, domain: parseDomainName(spec.domain) ?? '' });
  if (named !== null) return named;
  if (!resourceName.test(spec.domain)) return null;
  const { namespace } = metadata;
  const other = await resources.read({ kind: 'Domain', namespace, name: spec.domain });
  const { domain } = Object(other?.spec);
  return rows.read('domain', { team: owner, domain: parseDomainName(String(domain)) ?? '' });
}

async function act(ports: Ports, effect: InboxEffect, view: InboxView & { owner: Id }): Promise<void> {
  const { owner, resource, secret, domain } = view;
  const manager = managerOfOtherKind(resource);
  if (isOfKey(effect)) {
    const address = addressOf(resource, domain?.name ?? '');
    await actOnKey(ports, effect, view, manager, (key) => entriesOf(view, key, address));
  } else if (effect.do === 'create-account') {
    await createAccount(ports, owner, { address: effect.address, managedBy: manager });
  } else if (effect.do === 'mark-account') {
    // A release that does not have Inboxes considers their accounts orphans, but keeps accounts that have a policy.
    await setPolicy(ports.managers, { owner, kind: 'account', id: effect.id }, 'Retain');
  } else if (effect.do === 'delete-account') {
    await removeAccount(ports, owner, effect.id, manager).catch(ignoreNotFound);
  } else {
    const wanted = { name: localPartOf(resource), createdBy: null, managedBy: manager };
    await storeKey(ports, owner, { ...wanted, accountIds: [effect.accountId] }, secret);
  }
}
