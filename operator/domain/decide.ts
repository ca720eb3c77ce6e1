import type { Domain } from '#core/domains/domain.ts';
import { type Invalid, Taken } from '#core/errors.ts';
import { managerOf } from '../manager.ts';
import { type CommonStep, finalizerStep, notReady, type Report, type View } from '../reconcile.ts';
import { type Finding, ready, stalled, timeOf } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import type { DomainResource } from './resource.ts';

/**
 * `stored` is the owner's domain of the resource's name, with its number of accounts. `isAbandoned` is true where the resource
 * that manages it is missing.
 */
export type DomainView = View<DomainResource> & {
  stored: Domain | null;
  isAbandoned: boolean;
  accounts: number;
  mxHosts: string[];
};

type Change = { active?: boolean; verified?: boolean };

export type DomainEffect =
  | { do: 'create' }
  | { do: 'change'; id: number; change: Change }
  | { do: 'adopt'; id: number; from: string | null }
  | { do: 'delete'; id: number };

/** Returns the next step towards the spec of a Domain. */
export function decideDomain(view: DomainView): CommonStep<DomainResource> | DomainEffect {
  const { resource, stored } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  const isOurs = stored?.managedBy === managerOf(resource.metadata);
  if (isDeleted(resource)) {
    return stored && isOurs ? { do: 'delete', id: stored.id } : { do: 'remove-finalizer' };
  }
  if (stored === null) return { do: 'create' };
  if (view.isAbandoned) return { do: 'adopt', id: stored.id, from: stored.managedBy };
  if (!isOurs) return notReady(conflict(stored, resource));
  const change = differenceOf(resource, stored);
  return change === null ? upToDate(view, stored) : { do: 'change', id: stored.id, change };
}

/** Reports the core's message. The report of a taken name leaves out its owner. */
export function domainRefused({ resource }: DomainView, refusal: Invalid): Report<DomainResource> {
  const name = resource.spec.domain;
  if (!(refusal instanceof Taken)) {
    const why = refusal.violations.map(({ message }) => message).join('; ');
    return notReady(stalled('Refused', `${name}: ${why}`));
  }
  return notReady(
    stalled(
      'NameTaken',
      `${name} belongs to another namespace or user of this Sandpost: choose another name, or have it deleted there`,
    ),
  );
}

function conflict({ managedBy, name }: Domain, { metadata }: DomainResource): Finding[] {
  if (managedBy === null) {
    return stalled('ManagedByApi', `${name} was made through the API: delete it there, or this Domain`);
  }
  return stalled(
    'Duplicate',
    `${name} is the Domain ${managedBy} already: delete one of the two, that or ${managerOf(metadata)}`,
  );
}

function differenceOf({ spec }: DomainResource, stored: Domain): Change | null {
  const wantsManual = spec.mxVerified === true;
  const isManual = stored.verification.source === 'manual';
  const change = {
    ...(spec.active === stored.active ? {} : { active: spec.active }),
    ...(wantsManual === isManual ? {} : { verified: wantsManual }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

function upToDate({ accounts, mxHosts }: DomainView, stored: Domain): Report<DomainResource> {
  const { verification, name, id } = stored;
  const { checkedAt } = verification;
  const findings = stored.active
    ? ready('Active', `${name} takes mail`)
    : ready('Inactive', `${name} takes no mail, for spec.active is false`);
  return {
    do: 'report',
    fields: {
      domainId: id,
      verificationStatus: verification.status,
      ...(checkedAt === null ? {} : { lastCheckTime: timeOf(checkedAt) }),
      mxRecords: mxHosts,
      accounts,
    },
    findings: [...findings, { type: 'Verified', ...verdictOf(stored) }],
    requeueAfterMs: null,
  };
}

function verdictOf({ verification: { status, source, detail, refusals } }: Domain): Omit<Finding, 'type'> {
  if (source === 'manual') {
    return {
      status: 'True',
      reason: 'VouchedFor',
      message: 'spec.mxVerified vouches for it',
      event: 'Normal',
    };
  }
  if (status === 'verified') {
    const message = detail ?? 'an MX record points here';
    return { status: 'True', reason: 'MxFound', message, event: 'Normal' };
  }
  if (status === 'failed' || refusals > 0) {
    const message = detail ?? 'no MX record points here';
    return { status: 'False', reason: 'MxMissing', message, event: 'Warning' };
  }
  return { status: 'Unknown', reason: 'Pending', message: detail ?? 'the DNS has not been asked yet' };
}
