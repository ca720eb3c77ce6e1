import { foldText, intro } from './search-text.ts';

/** Maximum UTF-16 units of a text part that may be a stub, and of the visible HTML that is compared with it. */
const longestStub = 2000;
const comparedCharacters = 65_536;

/**
 * Words in sentences that refer a reader to a program that shows HTML, or to a browser. Folded. Most languages write HTML and MIME in
 * Latin letters.
 */
const elsewhere = new RegExp(
  [
    // Formats.
    'html|mime|multipart|rich text',
    // Browsers.
    'browser|navigateur|navegador|przegladar|webblasare|nettleser|prohlizec|prehliadac|bongeszo|tarayici|selaime|selaim',
    'браузер|брауз|переглядач|ブラウザ|ブラウサ|浏览器|瀏覽器|브라우저|متصفح|דפדפן|ब्राउजर|เบราว์เซอร์|trinh duyet|φυλλομετρητ|περιηγητ',
    // Mail programs.
    'mail[ -]?(?:client|program|reader|viewer|app|software|postfach|istemci)|program pocztow|klient(?:em|a|owi)? poczt|e-?postprogram',
    '(?:client|logiciel|programme) de (?:messagerie|courri|mail|e-?mail)|(?:programa|cliente|lector) de (?:correo|e-?mail)',
    '(?:programma|client|lettore) (?:di|per la) posta|почтов[а-я]{1,3} (?:клиент|программ)|メールソフト|メーラー|メールクライアント',
    '(?:邮件|電子郵件|电子邮件|郵件)(?:客户端|客戶端|程序|程式|软件|軟體)|(?:메일|이메일) (?:프로그램|클라이언트)',
  ].join('|'),
  'u',
);

/** Line that introduces a footer: `_`, `-`, `=`, `*` or `~`, or the `--` before a signature. */
const rule = /^(?:--|[-_=*~\u2500\u2014]{4,})[ \t]*(?:\r?\n|$)/;

const reference = /(?:https?:\/\/|www\.|mailto:)\S+|[^\s@]{1,64}@\S{1,255}/g;

/**
 * Returns an email's intro, from its text part, or from its HTML's visible text if the text part is blank or a stub. `adds`: the HTML
 * shows content that the text part lacks.
 */
export function introOf(text: string | null, seen: string | null, adds: boolean): string {
  if (text === null || seen === null || !adds) return intro(text ?? seen ?? '');
  return intro(text.trim() === '' || isStub(text, seen) ? seen : text);
}

/**
 * Checks whether a text part is only a stub for an HTML part with different content: the text part consists of a sentence about programs
 * that show HTML, or of a footer. `seen` is the HTML's visible text.
 */
export function isStub(text: string, seen: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > longestStub) return false;
  const said = foldText(trimmed).replace(reference, ' ');
  const own = wordsOf(said);
  const shown = wordsOf(foldText(seen.slice(0, comparedCharacters)));
  if (shown.size === 0) return false;
  if (own.size === 0) return true;
  const both = own.intersection(shown).size;
  // A text part that contains what the HTML shows is not a stub.
  if (both > 0.8 * shown.size) return false;
  const shared = both / own.size;
  const isWordy = shown.size >= 2 * own.size;
  if (elsewhere.test(said)) return shared < 0.5 || (isWordy && own.size <= 20);
  if (rule.test(trimmed)) return shared < 0.5;
  return isWordy && shown.size >= 20 && own.size <= 60 && shared < 0.25;
}

const script =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;

/** Returns the words of folded text. In scripts without spaces, each pair of consecutive characters counts as a word. */
function wordsOf(folded: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of folded.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (word.length < 3 || !script.test(word)) words.add(word);
    else for (let at = 0; at + 2 <= word.length; at += 1) words.add(word.slice(at, at + 2));
  }
  return words;
}
