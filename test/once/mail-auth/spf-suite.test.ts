import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ZoneEntry } from '#test/support/clients/dns-server.ts';
import { hasSpfSuite, type Scenario, spfSuite } from '#test/support/runner/spf-suite.ts';
import { openLab, plainMail } from './lab.ts';

type Records = Scenario['zonedata'][string];

test('the suite of openspf.org for RFC 7208', {
  skip: !hasSpfSuite() && 'test/setup.sh installs what reads it',
}, async (t) => {
  const differing: string[] = [];
  let asked = 0;
  for (const { zonedata, tests } of spfSuite()) {
    await using lab = await openLab(zonesOf(zonedata));
    for (const [name, records] of Object.entries(zonedata))
      if (records.includes('TIMEOUT') && textsOf(records).length === 0)
        lab.dns.misbehaviour.set(name.toLowerCase(), 'SERVFAIL');
    for (const [name, { host, mailfrom, helo, result }] of Object.entries(tests)) {
      asked += 1;
      const arrival = { mailFrom: mailfrom, helo, remoteAddress: host };
      const { authentication } = await lab.check(plainMail, arrival);
      const accepted = [result].flat();
      if (!accepted.includes(authentication.spf.result))
        differing.push(`${name}: ${authentication.spf.result} instead of ${accepted.join(' or ')}`);
    }
  }
  t.diagnostic(`${asked - differing.length} of ${asked} cases have the suite's result`);
  assert.deepEqual(differing, []);
});

function zonesOf(zonedata: Scenario['zonedata']): Record<string, ZoneEntry> {
  return Object.fromEntries(
    Object.entries(zonedata).map(([name, records]) => {
      const all = (type: string) => valuesOf(records, type);
      const [alias] = all('CNAME');
      const entry = { TXT: textsOf(records), A: all('A'), AAAA: all('AAAA'), MX: all('MX'), PTR: all('PTR') };
      return [
        name.toLowerCase(),
        { ...entry, ...(alias === undefined ? {} : { CNAME: alias }) } as ZoneEntry,
      ];
    }),
  );
}

/** Returns TXT records, or, if a name has no TXT, those of type SPF, which RFC 7208 section 3.1 abolished. */
function textsOf(records: Records) {
  const texts = valuesOf(records, 'TXT');
  return texts.length > 0 ? texts.filter((text) => text !== 'NONE') : valuesOf(records, 'SPF');
}

function valuesOf(records: Records, type: string) {
  return records.flatMap((record) =>
    record === 'TIMEOUT' || record[type] === undefined ? [] : [record[type]],
  );
}
