import { foldWord } from './code-signs.ts';
import type { Announcement, LineOfWords, Token } from './code-token.ts';
import { kind } from './code-vocabulary.ts';
import { isOfDocument } from './link-kinds.ts';

/**
 * Beginnings of words, folded, that may describe a code that a user types: its purpose, how it is sent, what it consists of. Other nouns,
 * as in `code porte` or `Vorgangscode`, name another kind of code.
 */
const typed = new RegExp(
  `^(?:${`
  veri auth oauth aut[eh]n autor confirm konfirm conferm comprob comprov se[cg]ur sicur sicher se[cg]ret geheim gizli hemm?elig
  einmal onetime one uni[cq] us[aou] valid activ ativ attiv aktiv aktyw ac?ces adgang atkomst toegang zugang zugriff zutritt
  log inn?log in?logg anmeld aanmeld sign firm assin ident recup recov restor backup reserve? rescue wiederherst herstel
  aterst gjenopp freigab freischalt entsperr entriegel offn pruf [ck]ontrol koppe?l kobl pair par link sync syn[kc]
  appair jumel empareja vincul associa abbin verknupf verbind conn?e[xcsk] confid desbloq debloc deverr sblocc unlock opn lock
  ritir? retir retrait recog recoj abhol afhaal ophaal hent uthamt avhamt pick collect locker odbi odebr nouto vyzved
  teslim entreg livrais consegn liefer deliver bezorg lever dostaw packstation paket
  rese[tn] reini reimp redef restab nulst zuruck palaut сброс sms mail email mms pin puk tan otp num nume zahl ziffer digit cifr cijfer siffr siffer chiffr regist inscri iscriz
  legitim gerat device disposit apparat apparaat appareil enhet enhed toestel cihaz urzadz temp provi tijdel person
  gener ge[hn]er einricht install setup notfall noodg emerg urgen eltern parent kinder family famil gast guest
  sesion sess inici entr ingres double doble dopp dupl segund second due dos deux two factor facteur fattor fator step
  suppress elimin losch kundig annul cancel pass sesam prote anti telef phone telep tel handy mobil movil celul
  app web online tv bank pay bezahl zahlung account acc?t user benutz konto compte cuenta conta hesap card terminal
  call fax magic short quick kurz schnell neu new nouveau nuevo novo nuovo tri quatr cuatro quattro cin[cq] six sei sept
  ocho otto oito huit sieben acht vier sechs funf zes wallet signat sig id my mein eigen
  dostep logow zalog potwier bezpie autory uwierz jednor rejestr odzysk zmian prihlas over potvr bezpe obnov jednoraz
  turva kirjaut vahvist tunnist kerta varmen varmist sakerhet sikkerhed bekr godk engang eenmal bevest beveil
  ellenor fiora bizton bel[ei]p megeros hitel igazol kinnit sissel sigur onay giris dogrul guven enter type input send sent
  envi recu rice enviad inser saisi introdu expir below under vali numer alfan alphan permanent fix stand standard
  провер подтвер получ выдач восстан регистр актив доступ вход вериф одноразов смс безопас авториз аутент действ отправ
  підтв перев отрим видач віднов реєстр безпек автент
  κινητ επαλ επιβεβ ασφαλ συνδεσ προσβ εισοδ`
    .trim()
    .split(/\s+/)
    .join('|')})`,
  'u',
);

const authorizations = /^(?:auth|approv|autori|aprob|genehmig|авториз)/;
const receipts =
  /receipt|quittung|kassenbon|reçu |recibo|ricevuta|scontrino|paragon|kvitto|kvittering|makbuz|領収|レシート|收据|영수증|квитанц/;
/** Words for a code in languages that put the qualifying noun after it: `code porte`, `código de operación`, `kod abonenta`. */
const precedes = /^(?:codes?|codigos?|codice|codici|codi|cod|kod[auy]?|код[ау]?)$/;
const joiners = /^(?:de|di|du|des|del|della|dello|dei|do|da|dos|das)$/;
/** Endings of participles and infinitives: `código enviado`, `codice da inserire`. */
const verbEnd = /(?:[aiu][dt]|[aei]r|ed|an[dt]|en[dt])[aeo]?s?$|[éè]e?s?$/u;
const ordinary =
  kind.code |
  kind.secret |
  kind.secure |
  kind.oneTime |
  kind.numeral |
  kind.unit |
  kind.link |
  kind.filler |
  kind.use |
  kind.action |
  kind.joiner;
/** Words that announce a code to type, wherever they are on a line. */
const telling = kind.use | kind.action | kind.secure | kind.oneTime | kind.link | kind.secret;

/** Checks whether the first part of a compound word, as in `Abholcode`, describes a code that a user types. */
export function isTypedPart(folded: string): boolean {
  return typed.test(folded);
}

/** Checks for a word that names a thing that has its own code, such as `booking` or `door`. */
export function namesThing({ kinds, word }: Token): boolean {
  return (kinds & kind.thing) !== 0 || ((kinds & kind.named) !== 0 && !typed.test(foldWord(word)));
}

/**
 * Checks for a label that announces the code of an unknown thing: `Code de cave : 47B12`, `Vorgangscode: 88120377`. Within a sentence,
 * however, an unknown noun may qualify a real one-time code.
 */
export function isForeignLabel(tokens: Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || at > 3 || tokens.slice(0, at).some(({ kinds }) => !(kinds & kind.filler)))
    return false;
  const noun = token.kinds & kind.compound ? at : qualifierOf(tokens, at);
  const [end, next] = [tokens[noun], tokens[noun + 1]];
  if (end === undefined || (next !== undefined && !next.colon && !next.apart)) return false;
  return !tokens.slice(0, at + 16).some(({ kinds }, place) => place !== at && kinds & telling);
}

/** Returns the position of the unknown noun that qualifies a word for a code and follows it, or -1. */
function qualifierOf(tokens: Token[], at: number): number {
  const [token, behind, next] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  if (token === undefined || behind === undefined || !isClose(behind)) return -1;
  if (!precedes.test(foldWord(token.word))) return -1;
  if (/^(?:d|dell|all)['’]/.test(behind.word))
    return isUnknown(behind, behind.word.replace(/^[a-z]+['’]/, '')) ? at + 1 : -1;
  if (!joiners.test(behind.word)) return isUnknown(behind, behind.word) ? at + 1 : -1;
  const follows = !token.word.startsWith('k') && next !== undefined && isClose(next);
  return follows && isUnknown(next, next.word) ? at + 2 : -1;
}

function isUnknown({ value, kinds }: Token, word: string): boolean {
  if (kinds & ordinary || !/^\p{Ll}{3,}(?:['’-]|$)/u.test(word) || !/^\p{Ll}/u.test(value)) return false;
  return !verbEnd.test(word) && !typed.test(foldWord(word));
}

/**
 * Checks for a customer or receipt number: nine or more digits without a separator and without an announcement of a one-time
 * code, anything but four to six digits after the label of an unknown thing, or the authorization of a card payment.
 */
export function isReference(
  { word, value, shape }: Token,
  { by, on }: { by: Announcement | null; on: LineOfWords },
  subject: LineOfWords,
): boolean {
  if (by?.strength === 'unsure') return !/^[0-9]{4,6}$/.test(value);
  const { at = Number.NaN } = by ?? {};
  // `Auth code: 604817` of a receipt is that of a card payment.
  const authorizes = [at - 1, at + 1, at + 2].some((place) =>
    authorizations.test(on.tokens[place]?.word ?? ''),
  );
  if (authorizes && receipts.test(subject.text.toLowerCase())) return true;
  // `Code: 48291304` in the confirmation of an order is that of a product or place.
  const isPlain = by?.strength === 'plain' && !on.tokens.some(({ kinds }) => kinds & telling);
  if (isPlain && subject.announcements.length === 0 && isOfDocument(subject.text)) return true;
  if (shape !== 'digits' || by?.strength === 'strong' || !/^[0-9]{9}/.test(word)) return false;
  return !subject.announcements.some(({ strength }) => strength === 'strong');
}

/** Checks that only a space precedes a word. */
export function isClose({ breaks, colon, apart }: Token): boolean {
  return !breaks && !colon && !apart;
}
