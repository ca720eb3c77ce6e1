import type { Link, LinkKind } from '#core/messages/content.ts';

/** The visible text of an HTML body, one block a line, and its links with their texts. */
export type HtmlText = { text: string; anchors: { href: string; text: string }[] };

/** Texts to search for links. `listUnsubscribe` is the value of the fields of that name (RFC 2369). */
export type LinkSources = { text: string | null; html: HtmlText | null; listUnsubscribe: string };

const maxText = 262_144;
const maxLinks = 1000;
const maxUrl = 8192;
const maxJudged = 2000;
const maxJudgedUrl = 1000;

/** Words in lower case that tell the purpose of a link, found in its text, its URL or beside it. The first kind wins. */
const kindWords: [Exclude<LinkKind, 'other'>, string[]][] = [
  [
    'unsubscribe',
    'unsubscrib,opt-out,opt out,optout,email preferences,notification settings,abmelden,abbestellen,désabonner,désinscri,darse de baja,cancelar suscripción,annulla iscrizione,disiscri,afmelden,uitschrijven,avregistrera,cancelar inscrição,descadastr,отписаться,配信停止,退订,退訂,수신거부'.split(
      ',',
    ),
  ],
  [
    'reset',
    'reset,forgot password,forgot-password,forgot_password,new password,recover,change password,change-password,set password,set-password,zurücksetzen,neues passwort,réinitialis,mot de passe oublié,restablecer,recuperar,redefinir,reimposta,wachtwoord opnieuw,återställ,сброс,восстанов,パスワードの再設定,リセット,重置,重設,재설정'.split(
      ',',
    ),
  ],
  [
    'verify',
    'verif,confirm,activat,validate your,validate email,validate-email,bestätig,aktivier,vérifi,activer,confirmar,activar,verificar,attiva,conferma,bevestig,bekräfta,aktivera,potwierd,aktywuj,подтвер,активир,確認,認証,验证,驗證,激活,인증,확인'.split(
      ',',
    ),
  ],
  [
    'invite',
    'invit,accept your,join the,join us,join your,join team,join workspace,/join,einlad,beitreten,rejoindre,invitación,convite,uitnodig,inbjud,zaprosz,приглаш,招待,邀请,邀請,초대'.split(
      ',',
    ),
  ],
  [
    'login',
    'magic,log in,login,log-in,sign in,signin,sign-in,log me in,anmelden,einloggen,connexion,se connecter,connectez,iniciar sesión,acceder,accedi,entrar,inloggen,logga in,zaloguj,войти,вход,ログイン,登录,登錄,로그인'.split(
      ',',
    ),
  ],
];

/** Finds the http and https links of a message in its HTML, its text and List-Unsubscribe; each URL once. */
export function findLinks({ text, html, listUnsubscribe }: LinkSources): Link[] {
  const links = new Map<string, Link>();
  const add = (url: string, label: string, kind: LinkKind): void => {
    const known = links.get(url);
    if (known !== undefined) {
      if (known.text === '') known.text = label;
      if (known.kind === 'other') known.kind = kind;
    } else if (links.size < maxLinks && url.length <= maxUrl && URL.canParse(url)) {
      links.set(url, { url, text: label, kind });
    }
  };
  for (const { href, text: label } of html?.anchors ?? []) {
    const kind = kindOf(label.slice(0, maxJudged)) ?? kindOf(readable(href, maxJudgedUrl)) ?? 'other';
    const wanted = isWeb(href) || (kind === 'unsubscribe' && /^mailto:/i.test(href));
    if (wanted) add(href, label, kind);
  }
  for (const { url, before } of urlsOf((text ?? '').slice(0, maxText))) {
    add(url, '', kindOf(readable(url, maxJudgedUrl)) ?? kindOf(before) ?? 'other');
  }
  // RFC 2369 section 2: URLs in angle brackets, separated by commas.
  for (const [, target] of listUnsubscribe.matchAll(/<([^<>]*)>/g)) {
    const url = (target ?? '').replace(/\s+/g, '');
    if (isWeb(url) || /^mailto:/i.test(url)) add(url, '', 'unsubscribe');
  }
  return [...links.values()];
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

/**
 * Path and query of a URL as words, as its server reads them; the host is the same for most links of a mail. `most`: characters of the
 * URL that are read.
 */
function readable(url: string, most: number): string {
  // Browsers take a backslash for a slash (WHATWG URL, section 4.4).
  const path = /^[a-z]+:\/\/[^/?#]*(.*)$/is.exec(url.replaceAll('\\', '/'))?.[1] ?? url;
  return decoded(path.slice(0, most)).replace(/[+_]/g, ' ');
}

/** Decodes the escapes of a URL. Of one that is no UTF-8, those of ASCII. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** URLs in running text, each with the text before it: on its line, or the last line with letters. */
function urlsOf(text: string): { url: string; before: string }[] {
  const found: { url: string; before: string }[] = [];
  let heading = '';
  for (const line of text.split('\n')) {
    let from = 0;
    for (const match of line.matchAll(/https?:\/\/[^\s<>"`{}|\\^\p{Cc}]+/giu)) {
      const own = line.slice(Math.max(from, match.index - 200), match.index);
      found.push({
        url: trimUrl(match[0].slice(0, maxUrl + 1)),
        before: /\p{L}/u.test(own) ? own : heading,
      });
      from = match.index + match[0].length;
    }
    if (from === 0 && /\p{L}/u.test(line)) heading = line.slice(-200);
  }
  return found;
}

/** Removes the punctuation of the sentence around a URL. A bracket stays where it closes one of the URL's own. */
function trimUrl(url: string): string {
  let unopened = url.split(')').length - url.split('(').length;
  let end = url.length;
  for (; end > 0; end--) {
    const last = url.charAt(end - 1);
    if (!'.,;:!?\'")]*_。、，！？）」'.includes(last) || (last === ')' && unopened <= 0)) break;
    if (last === ')') unopened -= 1;
  }
  return url.slice(0, end);
}

/** Short words of URLs. In a text they stand in other words too. */
const urlWords: [LinkKind, RegExp][] = [
  ['unsubscribe', /unsub|opt[- ]?out/i],
  ['verify', /(?<!ad)opt[- ]?in(?!g)/i],
];

/** Reads the purpose of a link from its path and query alone, of which it reads more and by more words than `findLinks`. */
export function kindOfUrl(url: string): LinkKind {
  const text = readable(url, maxJudged);
  return kindOf(text) ?? urlWords.find(([, words]) => words.test(text))?.[0] ?? 'other';
}

/** Reads the purpose of a link from a text that belongs to it; null where the text does not tell. */
function kindOf(text: string): Exclude<LinkKind, 'other'> | null {
  const judged = text.toLowerCase();
  return kindWords.find(([, words]) => words.some((word) => judged.includes(word)))?.[0] ?? null;
}
