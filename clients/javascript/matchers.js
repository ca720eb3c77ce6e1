import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { refuseUnknown } from './sandpost-error.js';

/** Texts that change from run to run. */
const everything = ['ids', 'dates', 'codes', 'queries'];

/** Names of authentication facts. The server accepts both spellings. */
const factNames = ['clientIp', 'client_ip', 'helo', 'mailFrom', 'mail_from', 'records', 'dns'];

/** Matchers for `expect(mail)`. `place` returns `{ file, updates }`: the test's file, and which golden files may be written. */
export function matchersAt(place) {
  return {
    toHaveCode(mail, wanted) {
      const codes = fieldsOf(mail).codes.map(({ value }) => value);
      const pass = wanted === undefined ? codes.length > 0 : codes.some((code) => fits(code, wanted));
      return verdict(mail, pass, `have a code${saidOf(wanted)}`, codes);
    },

    toHaveLink(mail, wanted) {
      const { links } = fieldsOf(mail);
      const isKind = typeof wanted === 'string' && !wanted.includes(':');
      const fit = (link) => wanted === undefined || fits(isKind ? link.kind : link.url, wanted);
      const there = links.map(({ kind, url }) => `${kind} ${url}`);
      return verdict(mail, links.some(fit), `have a link${saidOf(wanted)}`, there);
    },

    toPassDmarc(mail, facts) {
      refuseUnknown('fact', facts ?? {}, factNames);
      const fields = fieldsOf(mail);
      const judged = ({ dmarc, spf, dkim }) => {
        const there = [
          `dmarc ${dmarc.result}`,
          `spf ${spf.result}`,
          ...dkim.map(({ result }) => `dkim ${result}`),
        ];
        return verdict(mail, dmarc.result === 'pass', 'pass DMARC', there);
      };
      return facts === undefined ? judged(fields) : mail.authenticateWith(facts).then(judged);
    },

    async toMatchMail(mail, name, options = {}) {
      refuseUnknown('option', options, ['mask', 'maskPatterns']);
      const { mask = everything, maskPatterns = [] } = options;
      fieldsOf(mail);
      const { file, updates } = place.call(this);
      if (!/^[\w-][\w.-]*$/.test(name))
        throw new Error(`the golden file name ${name} can contain only letters, digits, -, _ and .`);
      const golden = path.join(path.dirname(file), 'mails', `${name}.eml`);
      const known = await readFile(golden, 'base64').catch(() => null);
      const isWritten = !this.isNot && (updates === 'all' || (updates === 'missing' && known === null));
      if (isWritten) {
        await mkdir(path.dirname(golden), { recursive: true });
        await writeFile(golden, await mail.raw());
        return { pass: true, message: () => `${golden} was written` };
      }
      if (known === null)
        return { pass: Boolean(this.isNot), message: () => `the golden file ${golden} does not exist` };
      const patterns = maskPatterns.map((pattern) => (pattern instanceof RegExp ? pattern.source : pattern));
      const { equal, unified, masked } = await mail.compareWith(known, mask, patterns);
      const how = equal ? `is like ${golden}` : `differs from ${golden}:\n${unified}`;
      return { pass: equal, message: () => `email ${mail.id} "${mail.subject}" ${how}${leftOut(masked)}` };
    },
  };
}

/** Says how many values of each kind were not compared. */
function leftOut(masked) {
  const counts = Object.entries(masked).filter(([, count]) => count > 0);
  if (counts.length === 0) return '';
  return `\nNot compared: ${counts.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
}

function fieldsOf(mail) {
  if (mail?.fields !== undefined) return mail.fields;
  const hint = typeof mail?.then === 'function' ? ': await it first' : '';
  throw new Error(`expect needs an email from inbox.wait${hint}`);
}

function fits(text, wanted) {
  return wanted instanceof RegExp ? text.search(wanted) >= 0 : text === wanted;
}

function saidOf(wanted) {
  if (wanted === undefined) return '';
  return ` ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`;
}

/** Returns the result of a matcher. Its message lists what the email has. */
function verdict({ id, subject }, pass, what, there) {
  const has = there.length > 0 ? `it has:\n  ${there.join('\n  ')}` : 'it has none';
  return { pass, message: () => `email ${id} "${subject}" should ${pass ? 'not ' : ''}${what}; ${has}` };
}
