import type { Domain } from '#core/domains/domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import { type Invalid, Taken } from '#core/errors.ts';
import { decideNamed, differences, type NamedEffect, type NamedView } from '../objects.ts';
import { type CommonStep, notReady, type Report, refused, reportOf } from '../reconcile.ts';
import type { DeletionPolicy } from '../retention.ts';
import { type Finding, finding, ready, stalled, timeOf } from '../runtime/conditions.ts';
import type { ResourceOf } from '../runtime/resource.ts';
import { wantedOf } from '../spec.ts';

/** Domain resource, which stands for one mail domain. */
export type DomainResource = ResourceOf<
  'Domain',
  {
    domain: string;
    active?: boolean;
    mxVerified?: boolean;
    assumedClientIP?: string;
    deletionPolicy?: DeletionPolicy;
  },
  {
    domainId?: number;
    verificationStatus?: string;
    lastCheckTime?: string;
    mxRecords?: string[];
    accounts?: number;
  }
>;

/** Name of the domain in the store, or null if the spec contains no valid name. */
export function nameOf({ spec }: DomainResource): string | null {
  return parseDomainName(spec.domain);
}

/** Owner's domain that has the resource's name, and the domain's number of accounts. */
export type DomainView = NamedView<DomainResource, Domain> & { accounts: number; mxHosts: string[] };

export type DomainEffect = NamedEffect<Partial<ReturnType<typeof valuesFor>>>;

/** Returns the domain's wanted values, and the stored values that stay although the spec omits them. */
export function valuesOf(view: DomainView) {
  const { active, mxVerified, assumedClientIP } = view.resource.spec;
  const defaults: Given = { active: true, mxVerified: false, assumedClientIP: null };
  const stored = view.stored && givenBy(view.stored);
  const { wanted, kept } = wantedOf(view, { active, mxVerified, assumedClientIP }, defaults, stored);
  return { values: valuesFor(wanted), kept };
}

/** Spec fields that may change. */
type Given = { active: boolean; mxVerified: boolean; assumedClientIP: string | null };

const givenBy = ({ active, verification, assumedClientIp }: Domain): Given => ({
  active,
  mxVerified: verification.source === 'manual',
  assumedClientIP: assumedClientIp,
});

const valuesFor = ({ active, mxVerified, assumedClientIP }: Given) => ({
  active,
  verified: mxVerified,
  assumedClientIp: assumedClientIP,
});

/** Returns the next step toward a Domain's spec. */
export function decideDomain(view: DomainView): CommonStep<DomainResource> | DomainEffect {
  const { values, kept } = valuesOf(view);
  return decideNamed(view, {
    nameOf: ({ name }) => name,
    missing: { do: 'create' },
    changeOf: (stored) => differences(values, valuesFor(givenBy(stored))),
    upToDate: (stored) => ({ ...upToDate(view, stored), isApplied: true, kept }),
  });
}

/** Reports the core's message. If the name is taken, the report does not say by whom. */
export function domainRefused({ resource }: DomainView, refusal: Invalid): Report<DomainResource> {
  const name = resource.spec.domain;
  if (!(refusal instanceof Taken)) {
    const isNamed = refusal.violations.some(({ message }) => message.startsWith(name));
    return refused(refusal, isNamed ? '' : `${name}: `);
  }
  const message = `${name} belongs to another namespace or user: choose another name, or ask its owner to delete it`;
  return notReady(stalled('NameTaken', message));
}

function upToDate({ accounts, mxHosts }: DomainView, stored: Domain): Report<DomainResource> {
  const { verification, name, id } = stored;
  const { checkedAt } = verification;
  const findings = stored.active
    ? ready('Active', `${name} receives mail`)
    : ready('Inactive', `${name} receives no mail because spec.active is false`);
  const checked = checkedAt !== null && { lastCheckTime: timeOf(checkedAt) };
  return reportOf(
    { domainId: id, verificationStatus: verification.status, ...checked, mxRecords: mxHosts, accounts },
    [...findings, verdictOf(stored)],
  );
}

function verdictOf({ verification: { status, source, detail, refusals } }: Domain): Finding {
  if (source === 'manual')
    return finding('Verified', 'True', 'VouchedFor', 'spec.mxVerified is true', 'Normal');
  if (status === 'verified')
    return finding('Verified', 'True', 'MxFound', detail ?? 'an MX record points here', 'Normal');
  if (status === 'failed' || refusals > 0)
    return finding('Verified', 'False', 'MxMissing', detail ?? 'no MX record points here', 'Warning');
  return finding('Verified', 'Unknown', 'Pending', detail ?? 'Sandpost has not queried DNS yet');
}
