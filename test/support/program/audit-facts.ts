import type { AuditFacts } from '#core/audit/facts.ts';

/** Facts of a mail that passes all checks. */
export const fine: AuditFacts = {
  headers: [
    { name: 'From', value: 'QA <qa@app.test>' },
    { name: 'To', value: 'inbox@here.test' },
    { name: 'Subject', value: 'Hello' },
    { name: 'Date', value: 'Sat, 21 Nov 2026 10:00:00 +0000' },
    { name: 'Message-ID', value: '<1@app.test>' },
    { name: 'MIME-Version', value: '1.0' },
    { name: 'Content-Type', value: 'text/plain' },
    { name: 'List-Unsubscribe', value: '<https://app.test/u?1>, <mailto:u@app.test>' },
    { name: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
  ],
  sizeBytes: 1000,
  maxBytes: 10_000,
  receivedAt: new Date('2026-11-21T10:00:05Z'),
  submitted: false,
  smtpUtf8: false,
  hasText: true,
  hasHtml: true,
  bareCr: 0,
  bareLf: 0,
  longestLine: 78,
  eightBitHeader: false,
  headerLimit: null,
  structureLimit: null,
  limitsReached: [],
  parseError: null,
  authentication: {
    spf: { result: 'pass', domain: 'app.test', explanation: null },
    dkim: [{ result: 'pass', domain: 'app.test', selector: 's', aligned: true, info: null }],
    dmarc: { result: 'pass', domain: 'app.test', policy: 'reject', alignedSpf: true, alignedDkim: true },
    arc: { result: 'none' },
    header: '',
  },
  signatures: [{ keyBits: 2048, algorithm: 'rsa-sha256', bodyLength: null }],
};
