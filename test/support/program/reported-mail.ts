import type { ReportedMail } from '#core/failures/draft-reports.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';

/** Builds the request for a report on a recipient. */
export const ask = (
  address: string,
  kind: ReportRequest['kind'] = 'failed',
  reply = '550 5.1.1 No',
): ReportRequest => ({
  address,
  kind,
  reply,
});

/** Email from app@app.test to three recipients in its team whose accounts simulate failures. */
export const mail: ReportedMail = {
  mailFrom: 'app@app.test',
  remoteAddress: '10.1.0.7',
  receivedBy: 'mx.test',
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  smtpUtf8: false,
  recipients: ['a', 'b', 'c'].map((name) => ({
    address: `${name}@app.test`,
    owner: 1,
    simulatesFailures: true,
  })),
  dsn: null,
};
