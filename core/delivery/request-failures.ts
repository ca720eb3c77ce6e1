import type { FailureVerdict } from '#core/failures/choose-failure.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import { mayFail } from './accept-recipient.ts';
import type { PreparedMail } from './delivery.ts';
import { type Failing, reportsOf } from './failing.ts';
import type { ArrivedMail } from './prepare-mail.ts';
import type { Submitter } from './submitter.ts';

/** Mail of a request, once it was examined. */
export type Examined = { arrived: ArrivedMail; mail: PreparedMail };

/** Makes the failures of a request to a provider. */
export function meetRequest(
  failing: Failing,
  { owner: team }: Pick<Submitter, 'owner'>,
  remoteAddress: string,
  examined: Examined[],
): Promise<FailureVerdict> {
  return failing.meet({
    ...{ team, version: null, stage: 'api', remoteAddress, isAlone: true },
    mailFrom: examined[0]?.arrived.mailFrom ?? null,
    recipients: examined.flatMap(({ arrived }) => arrived.recipients),
    prepared: examined.map(({ mail }) => mail),
  });
}

/** Returns the reports on a mail that an API takes: those that it has, those of its request, and those of its own failures. */
export async function reportsOnMail(
  failing: Failing,
  team: Id,
  { arrived, mail }: Examined,
  ofRequest: ReportRequest[] = [],
): Promise<ReportRequest[]> {
  const { recipients, remoteAddress, mailFrom, reports = [] } = arrived;
  const own = new Map(reports.map((report) => [report.address, report]));
  const addresses = new Set(recipients.map(({ address }) => address));
  for (const report of ofRequest)
    if (addresses.has(report.address) && !own.has(report.address)) own.set(report.address, report);
  const left = recipients.filter(({ address }) => !own.has(address));
  if (!left.some(mayFail)) return [...own.values()];
  const version = left.reduce((most, { failures }) => Math.max(most, failures), 0);
  const meeting = { team, version, remoteAddress, mailFrom, recipients: left, prepared: [mail] };
  return [...own.values(), ...(await reportsOf(failing, meeting))];
}
