import type { Domain } from '#core/domains/domain.ts';
import { type Invalid, Taken } from '#core/errors.ts';
import { type Finding, ready, stalled, timeOf } from './conditions.ts';
import { type CommonStep, lookAgainMs, type Report } from './reconcile.ts';
import { type DomainResource, isDeleted, isHeld, managerOf } from './resources.ts';

/** A Domain, what the store has under its name in its namespace, and how many accounts there are on it. */
export type DomainView = {
  resource: DomainResource;
  stored: Domain | null;
  accounts: number;
  mxHosts: string[];
};

export type DomainEffect =
  | { do: 'create' }
  | { do: 'change'; id: number; change: { active?: boolean; verified?: boolean } }
  | { do: 'delete'; id: number };

/** The next step towards what a Domain wants. */
export function decideDomain(view: DomainView): CommonStep<DomainResource> | DomainEffect {
  const { resource, stored } = view;
  const isOurs = stored?.managedBy === managerOf(resource.metadata);
  if (isDeleted(resource)) {
    if (!isHeld(resource)) return { do: 'nothing' };
    return stored && isOurs ? { do: 'delete', id: stored.id } : { do: 'release' };
  }
  if (!isHeld(resource)) return { do: 'hold' };
  if (stored === null) return { do: 'create' };
  if (!isOurs) return told(stalledBy(stored, view));
  const change = difference(resource, stored);
  return change === null ? settled(view, stored) : { do: 'change', id: stored.id, change };
}

/** The core's own words, but for a name that somebody else has: whose it is, is not told. */
export function domainRefused({ resource }: DomainView, refusal: Invalid): Report<DomainResource> {
  const name = resource.spec.domain;
  if (!(refusal instanceof Taken)) {
    const why = refusal.violations.map(({ message }) => message).join('; ');
    return told(stalled('Refused', `${name}: ${why}`));
  }
  return told(
    stalled(
      'NameTaken',
      `${name} belongs to another namespace or user of this Sandpost: choose another name, or have it deleted there`,
    ),
  );
}

function stalledBy({ managedBy, name }: Domain, { resource }: DomainView): Finding[] {
  if (managedBy === null) {
    const advice = `delete it there, or this Domain`;
    return stalled('ManagedByApi', `${name} was made through the API: ${advice}`);
  }
  const { metadata } = resource;
  return stalled(
    'Duplicate',
    `${name} is the Domain ${managedBy} already: delete one of the two, that or ${managerOf(metadata)}`,
  );
}

function difference(
  { spec }: DomainResource,
  stored: Domain,
): { active?: boolean; verified?: boolean } | null {
  const wantsManual = spec.mxVerified === true;
  const isManual = stored.verification.source === 'manual';
  const change = {
    ...(spec.active === stored.active ? {} : { active: spec.active }),
    ...(wantsManual === isManual ? {} : { verified: wantsManual }),
  };
  return Object.keys(change).length === 0 ? null : change;
}

function settled({ accounts, mxHosts }: DomainView, stored: Domain): Report<DomainResource> {
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
    findings: [...findings, verified(stored)],
    againMs: null,
  };
}

function verified({ verification: { status, source, detail, refusals } }: Domain): Finding {
  const type = 'Verified';
  if (source === 'manual') {
    return { type, status: 'True', reason: 'VouchedFor', message: 'spec.mxVerified vouches for it' };
  }
  if (status === 'verified') {
    return { type, status: 'True', reason: 'MxFound', message: detail ?? 'an MX record points here' };
  }
  if (status === 'failed' || refusals > 0) {
    const message = detail ?? 'no MX record points here';
    return { type, status: 'False', reason: 'MxMissing', message, warning: true };
  }
  return { type, status: 'Unknown', reason: 'Pending', message: detail ?? 'the DNS has not been asked yet' };
}

function told(findings: Finding[]): Report<DomainResource> {
  return { do: 'report', fields: {}, findings, againMs: lookAgainMs };
}
