import type { LinkKind } from '#core/messages/content.ts';
import {
  browserWords,
  documentWords,
  genericLabels,
  helpBeginnings,
  helpWords,
  ignoreWords,
  labelWords,
  type Purpose,
  pathWords,
} from './link-words.ts';
import { maxJudged, readUrl, wordsOf, wordsOfUrl } from './url-words.ts';

/**
 * Purpose that a link's own text names. `none` is that of a link to an explanation or to the mail itself, whatever else is in its text
 * or URL. Null where the text does not tell.
 */
export function purposeOfLabel(label: string): Purpose | 'none' | null {
  if (isUrlLike(label)) return null;
  const words = wordsOf(label);
  if (isOfBrowser(words) || isHelp(words)) return 'none';
  return purposeOf(words);
}

/** Tells whether a label says nothing of the purpose: it is empty, a URL, or words such as "click here". */
export function isGeneric(label: string): boolean {
  return isUrlLike(label) || genericLabels.has(wordsOf(label).trim());
}

/** Reads the purpose of a link from the sentences beside it. One that only points at the link leaves it to those before. */
export function purposeBeside(before: string, after: string): Purpose | null {
  // Bounded: texts beside a link are cut.
  const sentence = before.slice(before.search(/[^.!?。！？]*[.!?。！？:：\s]*$/));
  const found = purposeOfSentence(sentence);
  if (found !== null) return found;
  const behind = connects(after) ? purposeOfSentence(firstSentence(after)) : null;
  return behind ?? (pointing.test(sentence) || isGeneric(sentence.trim()) ? purposeOfSentence(before) : null);
}

/** Words of a sentence that points at a link. */
const pointing =
  /click|link|button|below|klick|unten|lien|cliqu|dessous|enlace|clic|pulsa|abajo|abaixo|sotto|knop|klik|länk|knapp|nedan|nedenfor|linkki|przycisk|odkaz|gomb|butonul|ссылк|кноп|посилан|bağlantı|tıkla|butona|σύνδεσμ|リンク|クリック|下記|以下|ボタン|链接|連結|点击|點擊|按钮|按鈕|링크|클릭|버튼|아래|رابط|زر|انقر|اضغط|लिंक|क्लिक|बटन|liên kết|nhấn|tautan|tombol|ลิงก์|คลิก|ปุ่ม|קישור|כפתור|לחץ/i;

/** Reads the purpose of a link from its URL alone. */
export function kindOfUrl(url: string): LinkKind {
  return purposeOfUrl(url) ?? 'other';
}

/**
 * Reads the purpose of a link from its URL: from parameters that name an act, such as `type=recovery`, then from the path and the
 * fragment, then from other parameters, and at last from a URL within. Parameters that tell where a reader came from do not count.
 */
export function purposeOfUrl(url: string, depth = 0): Purpose | null {
  const { path, parameters } = readUrl(url);
  const own = parameters.filter(({ name }) => !isTracking(name));
  const targets = own.filter(({ value }) => /^(?:https?:)?\//i.test(value));
  const acts = own.filter(({ name }) => actNames.has(name));
  const pathText = wordsOfUrl(path);
  const isExplained = isHelpPath(url, pathText) && !own.some(({ name }) => /token|code|key|sig/.test(name));
  if (isExplained) return null;
  const others = own.filter((one) => !targets.includes(one));
  return (
    purposeInUrl(wordsOfUrl(acts.map(({ value }) => value).join('/'))) ??
    purposeInUrl(pathText) ??
    purposeInUrl(wordsOfUrl(others.map(({ name, value }) => `${name}/${value}`).join('/'))) ??
    (depth > 0
      ? null
      : (targets.map(({ value }) => purposeOfUrl(value, 1)).find((found) => found !== null) ?? null))
  );
}

function purposeOf(words: string): Purpose | null {
  const found = labelWords.find(([, list]) => list.some((word) => words.includes(word)))?.[0] ?? null;
  return found === 'verify' && documentWords.some((word) => words.includes(word)) ? null : found;
}

function purposeInUrl(words: string): Purpose | null {
  return (
    purposeOf(words) ?? pathWords.find(([, list]) => list.some((word) => words.includes(word)))?.[0] ?? null
  );
}

function purposeOfSentence(sentence: string): Purpose | null {
  const words = wordsOf(sentence);
  return isHelp(words) || ignoreWords.some((word) => words.includes(word)) ? null : purposeOf(words);
}

/** Checks for the link that shows the mail itself: "View this e-mail in your browser". */
function isOfBrowser(words: string): boolean {
  return (
    browserWords.some((word) => words.includes(word)) ||
    (/^ (?:view|read|see|open|show|display|trouble|can t|cannot) /.test(words) && words.includes(' browser '))
  );
}

function isHelp(words: string): boolean {
  return (
    helpBeginnings.some((word) => words.startsWith(word, 1)) || helpWords.some((word) => words.includes(word))
  );
}

/** Checks whether the text behind a link goes on with what it is for: "to reset your password". */
function connects(after: string): boolean {
  return /^\s*(?:(?:(?:in order )?to|um|pour|para|per|om|för att|for at|aby|żeby|чтобы|щоб|için|untuk|để|لكي)\s|[から|で|より|を|に|来|以|进|를|을|에서|로|เพื่อ])/iu.test(
    after.slice(0, 40),
  );
}

function firstSentence(text: string): string {
  return /^[^.!?。！？\n]*/.exec(text)?.[0] ?? '';
}

function isUrlLike(label: string): boolean {
  // Bounded: the label is cut.
  return label === '' || /^(?:https?:\/\/|www\.)\S*$|^\S+\.\S+\/\S*$/i.test(label.slice(0, maxJudged));
}

/** Names of parameters whose values name an act, as `type=recovery` of Supabase and `mode=resetPassword` of Firebase. */
const actNames = new Set(
  'type mode action act do flow purpose intent operation op cmd task event'.split(' '),
);

/** Names of parameters that tell where a reader came from, and never what a link is for. */
function isTracking(name: string): boolean {
  return /^(?:utm[ _-]?|mc[_-]|_hs|hsa_|pk_|mtm_|trk|at_|wt[._])|^(?:ref|refs?rc|referrer|referer|source|src|campaign|medium|content|term|channel|template|newsletter|list|segment|from|via|origin|cid|gclid|fbclid|msclkid|mkt_tok|tracking|tag|tags|category|label)$|^(?:ref|source|campaign|email|mail|template|tracking|message|list)[_-]?(?:id|name|src|source|type|template|campaign|tag|category)$/i.test(
    name.slice(0, 100),
  );
}

const helpSegments =
  /_(?:help|support|faqs?|docs?|documentation|kb|knowledge|knowledgebase|articles?|blog|guides?|hc|hilfe|aide|ayuda|aiuto|ajuda|hulp|pomoc|yardim|learn|tutorials?|wiki|news|academy|community|forum|privacy|terms|legal|imprint|impressum)_/;

/** Checks whether a URL leads to an explanation, or to the mail in a browser. */
function isHelpPath(url: string, pathText: string): boolean {
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '';
  return (
    helpSegments.test(pathText.replaceAll(' ', '_').replaceAll('_', '__')) ||
    / (?:how to|view in browser|viewinbrowser|webview|view online|viewonline|web version|online version) /.test(
      pathText,
    ) ||
    /^(?:help|docs?|blog|kb|faq|learn|news|community)\./i.test(host)
  );
}
