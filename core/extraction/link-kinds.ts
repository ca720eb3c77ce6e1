import type { LinkKind } from '#core/messages/content.ts';
import { looksLikeToken } from './link-acts.ts';
import {
  browserWords,
  displayWords,
  documentWords,
  genericLabels,
  goingWords,
  helpBeginnings,
  helpWords,
  ignoreWords,
  passwordWords,
  pointingWords,
  viewWords,
} from './link-words.ts';
import {
  actWords,
  labelWords,
  loginLabels,
  loginPaths,
  nowWords,
  type Purpose,
  pathWords,
} from './purpose-words.ts';
import { maxJudged, readUrl, WordIndex, wordsOf, wordsOfUrl } from './words.ts';

type Mark =
  | Purpose
  | 'browser'
  | 'display'
  | 'document'
  | 'going'
  | 'help'
  | 'ignore'
  | 'password'
  | 'pointing'
  | 'view';

const marks = new WordIndex<Mark>([
  ...labelWords,
  ['browser', browserWords],
  ['display', displayWords],
  ['document', documentWords],
  ['going', goingWords],
  ['view', viewWords],
  ['help', helpWords],
  ['ignore', ignoreWords],
  ['password', passwordWords],
  ['pointing', pointingWords],
]);
const helpStarts = new WordIndex([['help', helpBeginnings]]);
const ofPaths = new WordIndex<Purpose | 'passwordless'>([...pathWords, ['passwordless', loginPaths]]);
const ofActs = new WordIndex(actWords);
/** Purposes, most reliable first. */
const purposes = labelWords.map(([purpose]) => purpose);

/**
 * Returns the purpose that a link's own text names. `none`: the link leads to an explanation or to the email itself, whatever else its
 * text or URL contains. Returns null if the text names no purpose.
 */
export function purposeOfLabel(label: string): Purpose | 'none' | null {
  if (isUrlLike(label)) return null;
  const words = wordsOf(label);
  const found = marks.in(words);
  if (isOfBrowser(words, found) || isHelp(words, found)) return 'none';
  if (social.test(words) || offer.test(words)) return null;
  if (notices.test(words) && offs.test(words)) return 'unsubscribe';
  const joins = /^ join .{1,80} on /.test(words) ? 'invite' : null;
  const purpose = purposeOf(found) ?? (isLogin(words.trim()) ? 'login' : joins);
  return purpose ?? (found.has('password') ? 'reset' : null);
}

/** Checks whether a label does not name a purpose: it is empty, a URL, or words such as "click here". */
export function isGeneric(label: string): boolean {
  if (isUrlLike(label)) return true;
  const words = wordsOf(label).trim();
  // Keycloak's label: `Link to account update`.
  return genericLabels.has(words) || words.startsWith('link to ');
}

/** Checks whether a label only asks the reader to click it: "Click here to create your account". */
export function isPointing(label: string): boolean {
  if (label === '' || /[./]\S/.test(label) || conditional.test(label)) return false;
  return isGeneric(label) || marks.in(wordsOf(label).replace(' linkedin ', ' ')).has('pointing');
}

/** Beginnings of labels for some readers: `If you cannot see the images, click here`. */
const conditional = /^\s?(?:if|wenn|falls|si|se|als|om|hvis|jos|jeśli|pokud|ha|dacă|если|якщо|eğer)\s/i;

/** Checks whether a label names a document to show: "View your order". */
export function isOfDocument(label: string): boolean {
  const found = marks.in(wordsOf(label));
  return found.has('document') || found.has('view');
}

/**
 * Derives a link's purpose from the sentences next to the link. If a sentence only points at the link, the sentences before it decide.
 * A sentence or label that leads to a link with a token and names a password is about a new password.
 */
export function purposeBeside(before: string, after: string, hasToken = false, earlier = ''): Purpose | null {
  const sentence = lastSentence(before);
  const words = wordsOf(sentence);
  const found = marks.in(words);
  const own = purposeOfSentence(words, found);
  if (own !== null) return own;
  const leads = found.has('pointing') || found.has('going') || isLabel.test(before.slice(-maxLabel));
  if (hasToken && found.has('password') && leads && !found.has('ignore')) return 'reset';
  const behind = connects(after) ? purposeOfText(firstSentence(after)) : null;
  if (behind !== null || sentence === '') return behind;
  if (!found.has('pointing') && !isGeneric(sentence.trim())) return null;
  return purposeOfText(before) ?? purposeOfText(withoutDismissals(`${earlier}\n${before}`));
}

/** Removes the sentences for readers who did not request the email. */
function withoutDismissals(text: string): string {
  return text
    .split(/(?<=[.!?。！？])/)
    .filter((sentence) => !marks.in(wordsOf(sentence)).has('ignore'))
    .join('');
}

/** Maximum length, in characters, of a label before a URL. */
const maxLabel = 60;
/** Line of up to three words and a colon, as in `Reset password: https://…`. */
const isLabel = /(?:^|\n)[^\S\n]*\S{1,30}(?:[^\S\n]\S{1,30}){0,2}[^\S\n]?[:：]\s*$/;

/** Checks whether words describe what a link does or where it is. */
export function namesAction(text: string): boolean {
  const found = marks.in(wordsOf(text));
  return found.has('password') || found.has('pointing') || found.has('going') || purposeOf(found) !== null;
}

/** Derives a link's purpose from its URL alone. */
export function kindOfUrl(url: string): LinkKind {
  const purpose = purposeOfUrl(url);
  return purpose === null || purpose === 'none' ? 'other' : purpose;
}

/**
 * Derives a link's purpose from its URL: from parameters that name an action, such as `type=recovery`, then from the path and the
 * fragment, then from other parameters, and finally from a URL within the URL. Ignores tracking parameters. A help page's purpose is
 * `none`.
 */
export function purposeOfUrl(url: string, depth = 0): Purpose | 'none' | null {
  const { path, parameters } = readUrl(url);
  const own = parameters.filter(({ name }) => !isTracking(name));
  const act = wordsOfUrl(own.flatMap(({ name, value }) => (actNames.has(name) ? [value] : [])).join('/'));
  const ofAct = act.length > 2 ? (purposeOf(ofActs.in(act)) ?? purposeInUrl(act)) : null;
  if (ofAct !== null) return ofAct;
  // Keycloak puts all actions under `login-actions`.
  const pathText = wordsOfUrl(path).replace(' login actions ', ' ');
  if (isHelpPath(url, pathText) && !looksLikeToken(url)) return 'none';
  const ofPath = purposeInUrl(pathText);
  if (ofPath !== null || own.length === 0) return ofPath;
  const isTarget = (value: string): boolean => /^(?:https?:)?\//i.test(value);
  const others = own.filter(
    ({ name, value }) => !isTarget(value) && !(userNames.has(name) && value.length > 1),
  );
  const ofOthers = purposeInUrl(wordsOfUrl(others.map(({ name, value }) => `${name}/${value}`).join('/')));
  if (ofOthers !== null || depth > 0) return ofOthers;
  const within = own.flatMap(({ value }) => (isTarget(value) ? [purposeOfUrl(value, 1)] : []));
  return within.find((found) => found !== null && found !== 'none') ?? null;
}

function purposeOf(found: ReadonlySet<string>): Purpose | null {
  const purpose = purposes.find((one) => found.has(one)) ?? null;
  if (purpose === 'reset' && found.has('display') && !found.has('password')) return null;
  return purpose === 'verify' && found.has('document') ? null : purpose;
}

function purposeInUrl(words: string): Purpose | null {
  const ofPath = ofPaths.in(words);
  const found = purposeOf(marks.in(words));
  return found === 'verify' && ofPath.has('passwordless') ? 'login' : (found ?? purposeOf(ofPath));
}

function purposeOfText(text: string): Purpose | null {
  const words = wordsOf(text);
  return purposeOfSentence(words, marks.in(words));
}

function purposeOfSentence(words: string, found: ReadonlySet<Mark>): Purpose | null {
  return isHelp(words, found) || found.has('ignore') ? null : purposeOf(found);
}

/** Checks for a sign-in label such as "Entrar", possibly followed by a word such as "now". */
function isLogin(words: string): boolean {
  const at = words.indexOf(' ');
  return at < 0
    ? loginLabels.has(words)
    : loginLabels.has(words.slice(0, at)) && nowWords.has(words.slice(at + 1));
}

/** Checks for a link to the email itself: "View this e-mail in your browser". */
function isOfBrowser(words: string, found: ReadonlySet<Mark>): boolean {
  return (
    found.has('browser') ||
    (/^ (?:view|read|see|open|show|display|trouble|can t|cannot) /.test(words) && words.includes(' browser '))
  );
}

function isHelp(words: string, found: ReadonlySet<Mark>): boolean {
  return found.has('help') || helpStarts.isAt(words, 1);
}

/** Checks whether the text after a link begins with the link's purpose: "to reset your password". */
function connects(after: string): boolean {
  return /^[\s,)\]"'」』）】》”»]*(?:(?:(?:in order )?to|um|pour|para|per|om|för att|for at|aby|żeby|чтобы|щоб|için|untuk|để|لكي)\s|[から|で|より|を|に|来|以|进|를|을|에서|로|เพื่อ])/iu.test(
    after.slice(0, 40),
  );
}

/** Returns the last sentence of some text, with its closing punctuation. */
function lastSentence(text: string): string {
  let start = text.length;
  while (start > 0 && /[.!?。！？:：\s]/.test(text.charAt(start - 1))) start--;
  while (start > 0 && !endsSentence(text, start - 1)) start--;
  return text.slice(start);
}

function firstSentence(text: string): string {
  return /^(?:[^.!?。！？\n]|[.!?](?=\w))*/.exec(text)?.[0] ?? '';
}

/** Checks for a character that ends a sentence. The period in `acme.example` does not. */
function endsSentence(text: string, at: number): boolean {
  return '.!?。！？'.includes(text.charAt(at)) && !/^[.!?]\w/.test(text.slice(at, at + 2));
}

function isUrlLike(label: string): boolean {
  // Bounded: the label has been truncated.
  return label === '' || /^(?:https?:\/\/|www\.)\S*$|^\S+\.\S+\/\S*$/i.test(label.slice(0, maxJudged));
}

/** Labels of links to the sender's pages on social networks. These do not invite anyone to a team. */
const social =
  /^ join (?:us|our|the) .{0,80}on (?:facebook|instagram|twitter|x|linkedin|youtube|discord|telegram|tiktok|whatsapp|reddit|mastodon|bluesky|slack|github|threads|pinterest|twitch) $/;

/** Labels of offers: `Unlock my bonus`. */
const offer =
  / unlock (?!(?:(?:ang|aking|my|your|the|this|user) )*(?:account|user|profile|login|device|wallet|vault|access|it|now|here) )\S/;

/** Words for notifications. A label that turns them off unsubscribes: `Turn off notifications for this form`. */
const notices =
  /notif|benachrichtigung|melding|avisering|varsl|powiadomi|upozorn|уведомлен|сповіщен|bildirim|értesít|ειδοποι|通知|알림|إشعار|اشعار|सूचना|thông báo|แจ้งเตือน|התרא/;
const offs =
  / (?:turn off|disable|deaktivier|abschalt|abstell|ausschalt|désactiv|desactiv|disattiv|disabilit|uitschak|schakel .{1,80} uit |stäng av|slå av|slå fra|wyłącz|vypn|dezactiv|отключить|отключите|выключ|вимкн|bildirimleri kapat|kapat|απενεργ|nonaktif|matikan)|kikapcsol|オフ|停止|关闭|關閉|끄기|해제|إيقاف|تعطيل|बंद |tắt |ปิด|כיבוי/;

/** Names of parameters whose value names an action, as in Supabase's `type=recovery` and Firebase's `mode=resetPassword`. */
const actNames = new Set(
  'type mode action act a do sa flow purpose intent operation op cmd task event execution'.split(' '),
);

/** Names of parameters whose value is a user name, unless the value is a flag. */
const userNames = new Set('login user_login userlogin rp_login log'.split(' '));

/** Checks for the name of a parameter that says where a reader came from. Such a parameter never says what a link is for. */
function isTracking(name: string): boolean {
  return /^(?:utm[ _-]?|mc[_-]|_hs|hsa_|pk_|mtm_|trk|at_|wt[._])|^(?:ref|refs?rc|referrer|referer|source|src|campaign|medium|content|term|channel|template|newsletter|list|segment|from|via|origin|cid|gclid|fbclid|msclkid|mkt_tok|tracking|tag|tags|category|label)$|^(?:ref|source|campaign|email|mail|template|tracking|message|list)[_-]?(?:id|name|src|source|type|template|campaign|tag|category)$/i.test(
    name.slice(0, 100),
  );
}

const helpSegments =
  /_(?:help|support|faqs?|docs?|documentation|kb|knowledge|knowledgebase|articles?|blog|guides?|hc|hilfe|aide|ayuda|aiuto|ajuda|hulp|pomoc|yardim|learn|tutorials?|wiki|news|academy|community|forum|privacy|terms|legal|imprint|impressum)_/;

/** Checks whether a URL leads to an explanation, or shows the email in a browser. */
function isHelpPath(url: string, pathText: string): boolean {
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  return (
    helpSegments.test(pathText.replaceAll(' ', '_').replaceAll('_', '__')) ||
    / (?:how to|view in browser|viewinbrowser|webview|view online|viewonline|web version|online version) /.test(
      pathText,
    ) ||
    (/^(?:help|docs?|blog|kb|faq|learn|news|community)\./i.test(host) && purposeInUrl(pathText) !== 'login')
  );
}
